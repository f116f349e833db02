import type { System } from '@souk/contract/admin/system.ts';
import type { Config } from '#platform/config.ts';
import { sayMisspelled } from '#platform/config/misspelled.ts';
import { weakKeyInUseText } from '#platform/crypto/weak-master-key.ts';
import { unheardText } from '#platform/db/postgres/hearing.ts';

type Warning = System['warnings'][number];
type Others = {
  config: Config;
  weakKey: string | undefined;
  forwardedRequests: number;
  isUnheard: boolean;
  nowMs: number;
  offersEditedHere: readonly string[];
};

const mebibyte = 1024 * 1024;
/** Warns if less is free than this, or than twice what programs must leave free. */
const lowDiskBytes = 2 * 1024 * mebibyte;

/** Returns warnings that need an action, the most urgent first. */
export function warningsOf(system: Omit<System, 'warnings'>, others: Others): Warning[] {
  return [...ofState(system, others), ...ofConfiguration(system, others)];
}

function ofState(
  { ledger, disk, database, payments, jobs, brokers, backup, notices }: Omit<System, 'warnings'>,
  others: Others,
): Warning[] {
  const found: Warning[] = [];
  const warn = (id: string, text: string) => found.push({ id, text });
  if ((ledger.differences ?? 0) > 0)
    warn('ledger', `The ledger does not add up for ${count(ledger.differences ?? 0, 'account')}: see the log.`);
  const backupAt = backup?.last?.at;
  if (backup && backupAt !== undefined && others.nowMs - Date.parse(backupAt) > 2 * backup.everySeconds * 1000)
    warn('backup-old', `The last backup is from ${backupAt}: see the job "backup".`);
  const enough = Math.max(lowDiskBytes, 2 * others.config.programLimits.freeDiskBytes);
  if (disk.freeBytes !== null && disk.freeBytes < enough)
    warn('disk-low', `The disk of ${disk.folder} has ${Math.floor(disk.freeBytes / mebibyte)} MiB free.`);
  if (database.migrations.waiting.length > 0)
    warn(
      'migrations',
      `${count(database.migrations.waiting.length, 'migration')} of this version ${database.migrations.waiting.length === 1 ? 'is' : 'are'} not applied: restart the broker.`,
    );
  if (payments.webhook && payments.webhook.failing > 0)
    warn(
      'webhook',
      `${count(payments.webhook.failing, 'payment event')} could not be handled and will be tried again.`,
    );
  if (notices.failing > 0)
    warn(
      'e-mails',
      `${count(notices.failing, 'notice')} could not be sent and will be tried again: ${notices.lastError ?? 'see the log'}.`,
    );
  if (notices.givenUp > 0)
    warn('e-mails', `${count(notices.givenUp, 'notice')} of the last seven days could not be sent and were given up.`);
  for (const { name, lastFailure, lastRunAt } of jobs) {
    if (lastFailure && (lastRunAt === null || lastFailure.at >= lastRunAt))
      warn('job', `The job ${name} failed the last time: ${lastFailure.message}`);
  }
  for (const { id, state, seenAt } of brokers) {
    if (state !== 'gone') continue;
    // after that, live-brokers.ts forgets the broker
    const until = new Date(Date.parse(seenAt) + 3_600_000).toISOString();
    warn(
      'broker-gone',
      `Broker ${id} has sent no heartbeat since ${seenAt}. If another broker has replaced it, no action is needed: this warning ends at ${until}.`,
    );
  }
  const versions = new Set(brokers.filter(({ state }) => state === 'alive').map(({ version }) => version));
  if (versions.size > 1) warn('versions', 'The brokers run different versions: finish the upgrade.');
  if (others.isUnheard) warn('notices', `${unheardText.charAt(0).toUpperCase()}${unheardText.slice(1)}.`);
  return found;
}

function ofConfiguration({ settings, database }: Omit<System, 'warnings'>, others: Others): Warning[] {
  const { config, weakKey, forwardedRequests, offersEditedHere } = others;
  const found: Warning[] = [];
  const warn = (id: string, text: string) => found.push({ id, text });
  if (weakKey !== undefined) warn('weak-master-key', `${weakKey} ${weakKeyInUseText}`);
  if (forwardedRequests > 0)
    warn(
      'trust-proxy',
      `TRUST_PROXY is not set, but ${count(forwardedRequests, 'request')} since the start carried X-Forwarded-For. Until it names your proxy, limits and the audit log see the proxy's address instead of the user's.`,
    );
  if (config.standIn) warn('demo-sign-in', 'Sign-in is a demo: anyone who can open this page can sign in as anyone.');
  if (config.payments === 'sandbox') warn('demo-payments', 'Payments are a demo: no money moves.');
  if (config.ignoredHost !== undefined)
    warn('host', 'HOST is ignored: with demo sign-in or demo payments only this machine can connect.');
  const key = settings.find(({ name }) => name === 'MASTER_KEY');
  if (config.masterKey === undefined)
    warn(
      'master-key-file',
      `The master key is the file ${key?.file}: back it up apart from the database, or set MASTER_KEY.`,
    );
  if (database.kind === 'embedded')
    warn(
      'embedded',
      'This is a single broker with an embedded database: a restart interrupts service. PostgreSQL (DATABASE_URL) allows several brokers.',
    );
  for (const each of config.misspelled) warn('misspelled', sayMisspelled(each));
  if (offersEditedHere.length > 0)
    warn(
      'offers',
      `offers.json no longer changes offers that were edited in the browser: ${offersEditedHere.join(', ')}.`,
    );
  return found;
}

const count = (of: number, what: string) => `${of.toLocaleString('en-US')} ${what}${of === 1 ? '' : 's'}`;
