// The broker of the hostile suite, in its own process so that the delay of its event loop can be measured. The only
// difference from the product: addresses of this machine are allowed as upstreams.
import { randomBytes } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { createApp } from '../../apps/broker/src/app.ts';
import { paths } from '../../apps/broker/src/paths.ts';
import { limitMemory } from '../../apps/broker/src/limit-memory.ts';
import { readConfig } from '../../apps/broker/src/platform/config.ts';
import { createLog } from '../../apps/broker/src/platform/log.ts';
import { deployManifest } from '../../apps/broker/src/testing/deploy-manifest.ts';
import { watchOwnTurns } from './own-turns.ts';
import type { BrokerStart, ToBroker } from './messages.ts';

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
for (const email of start.people) {
  tokens.push((await app.identity.createPersonalToken({ email, name: 'hostile' })).token);
}

const delay = monitorEventLoopDelay({ resolution: 5 });
delay.enable();
const own = watchOwnTurns();
const figuresOf = (histogram: { percentile(of: number): number; max: number }) => ({
  p99Ms: histogram.percentile(99) / 1e6,
  maxMs: histogram.max / 1e6,
});
/** The peak growth of resident memory since watching began. */
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
  if (message === 'delay') {
    const waitedShare = own.waitedShare();
    process.send?.({ whole: figuresOf(delay), computed: figuresOf(own.computed), waitedShare });
  }
});
process.once('disconnect', () => process.exit(1));
process.send?.({ publicUrl: config.publicUrl, tokens });
