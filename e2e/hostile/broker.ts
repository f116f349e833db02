// Broker of the hostile suite, in a separate process so that the delay of its event loop can be measured. The only
// difference from the product: addresses of this machine are allowed as upstreams.
import { randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createApp } from '../../apps/broker/src/app.ts';
import { checkLedger } from '../../apps/broker/src/features/billing/index.ts';
import { paths } from '../../apps/broker/src/paths.ts';
import { limitMemory } from '../../apps/broker/src/limit-memory.ts';
import { readConfig } from '../../apps/broker/src/platform/config.ts';
import { createLog } from '../../apps/broker/src/platform/log.ts';
import { deployManifest } from '../../apps/broker/src/testing/deploy-manifest.ts';
import { giveCredits } from '../../apps/broker/src/testing/people/grant-credits.ts';
import { watchOwnTurns } from './own-turns.ts';
import type { BrokerStart, Charges, Holdings, ToBroker } from './messages.ts';

const start: BrokerStart = JSON.parse(process.argv[2] ?? '{}');
const config = readConfig({
  PORT: String(start.port),
  DATA_DIR: start.dataDir,
  MASTER_KEY: randomBytes(32).toString('base64url'),
  MCP_CALLS_PER_MINUTE_TOKEN: '1000000',
  MCP_CALLS_PER_MINUTE_USER: '1000000',
  MCP_REQUESTS_PER_MINUTE_TOKEN: '1000000',
  STDIO_ALLOWLIST: start.allowlist,
  LOG_LEVEL: 'fatal',
  ...start.env,
});
limitMemory(config);
const app = await createApp({
  config,
  log: createLog(config.logLevel),
  allowAddresses: start.allowAddresses,
  paths: { ...paths, catalogue: start.catalogue, stdioAllowlist: start.allowlist, services: start.catalogue },
});
await app.start();
for (const { manifest, expectStatus } of start.servers) await deployManifest(app, manifest, expectStatus);
const tokens: string[] = [];
let userId = '';
for (const email of start.people) {
  const created = await app.identity.createPersonalToken({ email, name: 'hostile' });
  tokens.push(created.token);
  userId = (await giveCredits(app, email, start.credits ?? 1)) ?? '';
}
await recordCalls(start.recordedCalls ?? 0);

/** Records calls of the last user, as if they had been made. */
async function recordCalls(count: number): Promise<void> {
  for (let from = 0; from < count; from += 5_000)
    await app.db.query(
      `insert into usage_events (call_id, user_id, server_id, kind, name, outcome, credits, duration_ms, client_id, token_id, created_at)
       select gen_random_uuid(), $1::uuid, 'recorded', 'tool', 'look', 'ok', 0, 12, 'client', 'token', now() - n * interval '1 second'
       from generate_series($2::int, $3::int) n`,
      [userId, from, Math.min(count, from + 5_000) - 1],
    );
}

/** Measures what the broker holds after a garbage collection. */
function holdings(): Holdings {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  collect();
  const { rss, heapUsed } = process.memoryUsage();
  const kinds = Map.groupBy(process.getActiveResourcesInfo(), (kind) => kind);
  return {
    residentMiB: rss / 1024 / 1024,
    heapMiB: heapUsed / 1024 / 1024,
    open: Object.fromEntries([...kinds].map(([kind, all]) => [kind, all.length])),
  };
}

async function charges(): Promise<Charges> {
  await Promise.all([app.billing.ledger.flush(), app.usage.flush()]);
  const { rows } = await app.db.query<{ charged: number }>(
    `select coalesce(-sum(delta), 0)::bigint as charged from ledger_entries where contra = 'usage'`,
  );
  return { charged: Number(rows[0]?.charged), faults: (await checkLedger(app.db)).length };
}

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
const own = watchOwnTurns();
const figuresOf = (histogram: { percentile(of: number): number; max: number }) => ({
  p99Ms: histogram.percentile(99) / 1e6,
  maxMs: histogram.max / 1e6,
});
/** Peak growth of the resident memory since watching began. */
let grownBytes = 0;
let sampler: NodeJS.Timeout | undefined;
function watchMemory(): void {
  const firstBytes = process.memoryUsage.rss();
  grownBytes = 0;
  sampler = setInterval(() => (grownBytes = Math.max(grownBytes, process.memoryUsage.rss() - firstBytes)), 5);
}
process.on('message', (message: ToBroker) => {
  if (message === 'stop') void app.stop().then(() => process.exit(0));
  if (message === 'reset-delay') {
    delay.reset();
    own.reset();
  }
  if (message === 'watch-memory') watchMemory();
  if (message === 'memory') {
    clearInterval(sampler);
    process.send?.({ grownBytes });
  }
  if (message === 'holdings') process.send?.(holdings());
  if (message === 'ledger') void charges().then((found) => process.send?.(found));
  if (message === 'delay') {
    const waitedShare = own.waitedShare();
    process.send?.({ whole: figuresOf(delay), computed: figuresOf(own.computed), waitedShare });
  }
});
process.once('disconnect', () => process.exit(1));
process.send?.({ publicUrl: config.publicUrl, tokens });
