import { join, resolve } from 'node:path';
import { startFlags } from '../scripts/product-flags.ts';
import { chargedWord, earlierName, isOwn, pairChargedWord, pairWord, tracedName } from './target-names.ts';
import type { Ledgers, UsageRows } from './report/find-problems.ts';
import { brokerProgram, type DatabaseKind, type GatewayOptions, type UpstreamName } from './gateway-options.ts';
import type { Pinning } from './machine.ts';
import type { Target } from './measure-case.ts';
import type { BrokerFinal, BrokerInput, BrokerReady } from './parts/broker.ts';
import type { HttpReady } from './parts/listen.ts';
import type { MemoryAtPeak } from './parts/memory-at-peak.ts';
import { startPart, type Part } from './start-part.ts';

/**
 * Number of calling users. A user may have at most 100 sessions, and a single token would make caches look better than in
 * production.
 */
const userCount = 16;

/** Clients per user on two brokers, so that all targets together stay below the 100 sessions of a user. */
const sharing = 32;

const ownCheckout = join(import.meta.dirname, '..');

const programs = {
  raw: new URL('./parts/raw-upstream.ts', import.meta.url),
  sdk: new URL('./parts/sdk-upstream.ts', import.meta.url),
  proxy: new URL('./parts/reverse-proxy.ts', import.meta.url),
  collector: new URL('./parts/trace-collector.ts', import.meta.url),
};

export type GatewayBed = {
  /** Version and settings of each broker's database. */
  databases: Partial<Record<string, Record<string, string>>>;
  /** Targets for one upstream, the direct one first; `oauth` adds the broker with an access token. */
  targets(upstream: UpstreamName, options?: { oauth?: boolean }): Target[];
  /** Ends every process. Returns each broker's usage rows by outcome, its ledger and its peak memory, by its name. */
  stop(): Promise<{ usage: UsageRows; ledgers: Ledgers; memory: Partial<Record<string, MemoryAtPeak>> }>;
};

type Broker = Part<BrokerReady, BrokerFinal>;

type Start = <Ready, Final>(
  program: URL,
  input: unknown,
  core: number | undefined,
  nodeOptions?: string[],
) => Promise<Part<Ready, Final>>;
type Upstreams = Record<UpstreamName, Part<HttpReady, object>>;
/** Brokers by name. `second` shares the database of the one before it. */
type Brokers = { byName: ReadonlyMap<string, Broker>; second: Broker | undefined };

/** Starts upstreams, proxies and a broker for each database, each in its own process, pinned to its core. */
export async function startBed(options: GatewayOptions, pinning: Pinning | undefined): Promise<GatewayBed> {
  const started: Part<unknown, unknown>[] = [];
  const start: Start = async <Ready, Final>(
    program: URL,
    input: unknown,
    core: number | undefined,
    nodeOptions: string[] = [],
  ) => {
    const part = await startPart<Ready, Final>(program, input, { core, nodeOptions });
    started.push(part);
    return part;
  };
  const stopAll = async () => {
    const ends = await Promise.allSettled(started.toReversed().map((part) => part.stop()));
    const failed = ends.find((end) => end.status === 'rejected');
    if (failed) throw failed.reason;
  };

  try {
    const upstreams: Upstreams = {
      raw: await start(programs.raw, null, pinning?.driverCore),
      sdk: await start(programs.sdk, null, pinning?.driverCore),
    };
    const proxyOf = (upstream: UpstreamName) =>
      start<HttpReady, object>(programs.proxy, { upstream: upstreams[upstream].ready.origin }, pinning?.gatewayCore);
    const proxies = { raw: await proxyOf('raw'), sdk: await proxyOf('sdk') };
    const brokers = await startBrokers(start, options, pinning, upstreams);
    return {
      databases: Object.fromEntries([...brokers.byName].map(([name, { ready }]) => [name, ready.database])),
      targets: (upstream, { oauth = false } = {}) => [
        plainTarget('direct', upstreams[upstream], undefined),
        plainTarget('proxy', proxies[upstream], proxies[upstream].pid),
        ...[...brokers.byName].flatMap(([name, broker]) => [
          brokerTarget(`souk ${name}`, upstream, broker, options.askable, personalTokenOf),
          ...(oauth
            ? [brokerTarget(`souk ${name} oauth`, upstream, broker, options.askable, ({ accessToken }) => accessToken)]
            : []),
          ...(options.charged && upstream === 'raw' && isOwn(name)
            ? chargedTargets(name, broker, brokers.second, options.askable)
            : []),
        ]),
      ],
      async stop() {
        const finals = await stopBrokers(brokers);
        await stopAll();
        return {
          usage: Object.fromEntries(finals.map(({ name, usageRows }) => [name, usageRows])),
          ledgers: Object.fromEntries(finals.flatMap(({ name, ledger }) => (ledger ? [[name, ledger]] : []))),
          memory: Object.fromEntries(finals.flatMap(({ name, memory }) => (memory ? [[name, memory]] : []))),
        };
      },
    };
  } catch (error) {
    await stopAll();
    throw error;
  }
}

async function startBrokers(
  start: Start,
  options: GatewayOptions,
  pinning: Pinning | undefined,
  upstreams: Upstreams,
): Promise<Brokers> {
  const profiling = options.profile === undefined ? [] : ['--cpu-prof', `--cpu-prof-dir=${resolve(options.profile)}`];
  const collector = options.traced
    ? await start<HttpReady, object>(programs.collector, null, pinning?.driverCore)
    : undefined;
  const startBroker = (
    database: DatabaseKind,
    checkout: string,
    { beside, collectorUrl }: Pick<BrokerInput, 'beside' | 'collectorUrl'> = {},
  ): Promise<Broker> => {
    const input: BrokerInput = {
      database,
      upstreams: { raw: upstreams.raw.ready.origin, sdk: upstreams.sdk.ready.origin },
      people: userCount,
      memory: options.memory,
      beside,
      collectorUrl,
    };
    const flags = [...startFlags(checkout), ...profiling];
    return start(brokerProgram(checkout), input, pinning?.gatewayCore, flags);
  };
  const byName = new Map<string, Broker>();
  let second: Broker | undefined;
  for (const database of options.databases) {
    const broker = await startBroker(database, ownCheckout);
    byName.set(database, broker);
    if (options.against !== undefined) byName.set(earlierName(database), await startBroker(database, options.against));
    if (collector) {
      const traced = await startBroker(database, ownCheckout, { collectorUrl: collector.ready.origin });
      byName.set(tracedName(database), traced);
    }
    if (options.charged && broker.ready.shared)
      second = await startBroker(database, ownCheckout, { beside: broker.ready.shared });
  }
  return { byName, second };
}

async function stopBrokers({ byName, second }: Brokers) {
  // the second broker writes to the first one's database
  await second?.stop();
  return Promise.all([...byName].map(async ([name, broker]) => ({ name, ...(await broker.stop()) })));
}

function plainTarget(name: string, part: Part<HttpReady, object>, pid: number | undefined): Target {
  const endpoint = { url: `${part.ready.origin}/mcp`, token: undefined, askable: false };
  return { name, endpointOf: () => endpoint, tool: ['echo'], pid };
}

function brokerTarget(
  name: string,
  server: string,
  { pid, ready }: Broker,
  askable: boolean,
  tokenOf: (ready: BrokerReady, client: number) => string | undefined,
): Target {
  const url = `${ready.origin}/mcp`;
  return {
    name,
    endpointOf: (client) => ({ url, token: tokenOf(ready, client), askable }),
    tool: [toolOf(server)],
    pid,
  };
}

const toolOf = (server: string) => `${server}__echo`;

/**
 * Returns targets with a tool that costs a credit: all users on one broker, and the free and paid calls of one user (for 128
 * clients: four) on two brokers.
 */
function chargedTargets(name: string, broker: Broker, second: Broker | undefined, askable: boolean): Target[] {
  const charged = brokerTarget(`souk ${name} ${chargedWord}`, 'rawpaid', broker, askable, personalTokenOf);
  if (!second || broker.ready.shared === undefined) return [charged];
  const urls = [broker, second].map(({ ready }) => `${ready.origin}/mcp`);
  const endpointOf = (client: number) => ({
    url: urls[client % 2] ?? '',
    token: personalTokenOf(broker.ready, Math.floor(client / sharing)),
    askable,
  });
  return [
    charged,
    { ...charged, name: `souk ${name} ${pairWord}`, endpointOf, tool: [toolOf('raw')] },
    { ...charged, name: `souk ${name} ${pairChargedWord}`, endpointOf },
  ];
}

function personalTokenOf({ personalTokens }: BrokerReady, client: number): string | undefined {
  return personalTokens[client % personalTokens.length];
}
