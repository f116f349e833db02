import { shownSystemSchema, systemCheckedSchema } from '#operator/commands/system-command.ts';
import { readConfig } from '#platform/config.ts';
import type { z } from 'zod';
import { askBroker, flag, type CliOptions, type Command, type Values } from './command.ts';

export const systemCliCommand: Command = {
  name: 'system',
  summary: 'shows the state of this installation: database, brokers, jobs, payments, and the configuration in force',
  usage: 'system [--check] [--json]',
  options: { check: flag, json: flag },
  help: [
    ['--check', 'run the checks of check-config and doctor in the running broker instead'],
    ['--json', 'print the answer as JSON'],
  ],
  run: showSystem,
};

async function showSystem({ check, json }: Values, cli: CliOptions): Promise<void> {
  const { stdout } = cli;
  if (check === true) {
    const { checks } = await askBroker(cli, systemCheckedSchema, 'system.check');
    const ok = checks.every(({ status }) => status !== 'failed');
    if (json === true) return stdout(JSON.stringify({ ok, checks }));
    const { publicUrl } = readConfig(cli.environment);
    return (await import('./checks/doctor.ts')).printDiagnosis(publicUrl, { ok, checks }, stdout);
  }
  const system = await askBroker(cli, shownSystemSchema, 'system.show');
  if (json === true) return stdout(JSON.stringify(system));
  for (const line of linesOf(system)) stdout(line);
}

function linesOf(system: z.output<typeof shownSystemSchema>): string[] {
  const { database, brokers, jobs, payments, notices, backup, ledger, settings } = system;
  const size = `${Math.round(database.sizeBytes / 1024 / 1024)} MiB`;
  const { applied, waiting } = database.migrations;
  const { webhook } = payments;
  const noticeError = notices.lastError === null ? '' : `, last error: ${notices.lastError}`;
  return [
    ...system.warnings.map(({ text }) => `Warning: ${text}`),
    `Souk ${system.version} on Node ${system.node}, since ${system.startedAt}, at ${system.publicUrl}`,
    `Database: ${database.kind} ${database.version}, ${size}, ${applied} migrations applied, ${waiting.length} waiting`,
    ...brokers.map(({ id, isThis, state, version, since, callsPerSecond, lagMs }) => {
      const figures = `${callsPerSecond ?? '?'} calls/s, notices from the database ${lagMs ?? '?'} ms late`;
      return `Broker ${id}${isThis ? ' (this)' : ''}: ${state}, version ${version ?? '?'}, since ${since ?? '?'}, ${figures}`;
    }),
    ...jobs.map(
      ({ name, lastRunAt, nextRunAt, lastFailure }) =>
        `Job ${name}: last ${lastRunAt ?? 'never'}, next ${nextRunAt ?? '-'}${failureText(lastFailure)}`,
    ),
    `Payments: ${payments.kind}`,
    ...(webhook
      ? [
          `Webhook: ${webhook.address}, last event ${webhook.lastEventAt ?? 'never'}, ${webhook.waiting} waiting, ${webhook.failing} failing`,
        ]
      : []),
    `Notices (${notices.delivery}): ${notices.waiting} waiting, ${notices.failing} of them failed, ${notices.givenUp} given up in seven days${noticeError}`,
    ...(backup ? [backupText(backup)] : []),
    `Ledger: ${ledger.differences ?? 'no'} differences, checked ${ledger.checkedAt ?? 'never'}`,
    ...settings.map(({ name, value, isSecret, origin, file }) => {
      const shown = isSecret && origin !== 'default' ? '(secret)' : ((isSecret ? null : value) ?? '(not set)');
      return `${name}=${shown}  from ${file ?? origin}`;
    }),
  ];
}

const failureText = (failure: { at: string; message: string } | null) =>
  failure ? `, failed ${failure.at}: ${failure.message}` : '';

function backupText({
  folder,
  last,
  nextAt,
  failure,
}: NonNullable<z.output<typeof shownSystemSchema>['backup']>): string {
  const lastText = last ? `last ${last.at}, ${Math.ceil(last.bytes / 1024)} KiB` : 'none yet';
  return `Backups in ${folder}: ${lastText}, next ${nextAt ?? '-'}${failureText(failure)}`;
}
