import { readConfig } from '#platform/config.ts';
import { callOperator } from '#platform/operator/call-operator.ts';
import { shownSystemSchema, systemCheckedSchema } from '#operator/commands/system-command.ts';
import type { CliOptions, Command, Values } from './command.ts';

/** `souk system`: what the tab "System" shows. */
export const systemCliCommand: Command = {
  name: 'system',
  summary: 'shows how this installation is: database, brokers, jobs, payments, and the configuration in force',
  usage: 'system [--check] [--json]',
  options: { check: { type: 'boolean' }, json: { type: 'boolean' } },
  help: [
    ['--check', 'run the checks of check-config and doctor in the running broker instead'],
    ['--json', 'print the answer as JSON'],
  ],
  run: showSystem,
};

async function showSystem({ check, json }: Values, { environment, stdout }: CliOptions): Promise<void> {
  const { dataDir, publicUrl } = readConfig(environment);
  if (check === true) {
    const { checks } = systemCheckedSchema.parse(await callOperator(dataDir, 'system.check', {}, 60_000));
    const ok = checks.every(({ status }) => status !== 'failed');
    if (json === true) return stdout(JSON.stringify({ ok, checks }));
    return (await import('./checks/doctor.ts')).printDiagnosis(publicUrl, { ok, checks }, stdout);
  }
  const system = shownSystemSchema.parse(await callOperator(dataDir, 'system.show', {}));
  if (json === true) return stdout(JSON.stringify(system));
  const { database, brokers, jobs, payments, ledger, settings } = system;
  for (const { text } of system.warnings) stdout(`Warning: ${text}`);
  stdout(`Souk ${system.version} on Node ${system.node}, since ${system.startedAt}, at ${system.publicUrl}`);
  const size = `${Math.round(database.sizeBytes / 1024 / 1024)} MiB`;
  const { applied, waiting } = database.migrations;
  stdout(
    `Database: ${database.kind} ${database.version}, ${size}, ${applied} migrations applied, ${waiting.length} waiting`,
  );
  for (const { id, isThis, state, version, since, callsPerSecond, lagMs } of brokers) {
    const figures = `${callsPerSecond ?? '?'} calls/s, hears the database ${lagMs ?? '?'} ms late`;
    stdout(
      `Broker ${id}${isThis ? ' (this)' : ''}: ${state}, version ${version ?? '?'}, since ${since ?? '?'}, ${figures}`,
    );
  }
  for (const { name, lastRunAt, nextRunAt, lastFailure } of jobs) {
    const failure = lastFailure ? `, failed ${lastFailure.at}: ${lastFailure.message}` : '';
    stdout(`Job ${name}: last ${lastRunAt ?? 'never'}, next ${nextRunAt ?? '-'}${failure}`);
  }
  const { webhook } = payments;
  stdout(`Payments: ${payments.kind}`);
  if (webhook)
    stdout(
      `Webhook: ${webhook.address}, last event ${webhook.lastEventAt ?? 'never'}, ${webhook.waiting} waiting, ${webhook.failing} failing`,
    );
  const { notices } = system;
  const told = notices.lastError === null ? '' : `, last error: ${notices.lastError}`;
  stdout(
    `Notices (${notices.delivery}): ${notices.waiting} waiting, ${notices.failing} of them failed, ${notices.givenUp} given up in seven days${told}`,
  );
  const { backup } = system;
  if (backup) {
    const last = backup.last ? `last ${backup.last.at}, ${Math.ceil(backup.last.bytes / 1024)} KiB` : 'none yet';
    const failure = backup.failure ? `, failed ${backup.failure.at}: ${backup.failure.message}` : '';
    stdout(`Backups in ${backup.folder}: ${last}, next ${backup.nextAt ?? '-'}${failure}`);
  }
  stdout(`Ledger: ${ledger.differences ?? 'no'} differences, checked ${ledger.checkedAt ?? 'never'}`);
  for (const { name, value, isSecret, origin, file } of settings) {
    const isSet = origin !== 'default';
    const shown = isSecret ? (isSet ? '(secret)' : '(not set)') : (value ?? '(not set)');
    stdout(`${name}=${shown}  from ${file ?? origin}`);
  }
}
