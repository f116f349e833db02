import { isDown, type Catalogue } from '#features/catalogue/index.ts';
import type { UsageRow } from '#features/billing/index.ts';
import type { Upstreams } from '#features/upstreams/index.ts';
import type { MetricObjectWithValues, MetricValue, Registry } from 'prom-client';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { SystemFigures } from './system-figures.ts';

/** Upper bounds of call durations in seconds, from a cached answer to the longest deadline. */
const durationBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Outcomes of calls that reached a server, whose durations are therefore recorded. */
const dispatched: ReadonlySet<string> = new Set(['ok', 'error', 'failed']);
/** The server label of built-in tools and of unknown tool names. */
const noServer = 'none';

export type Metrics = {
  /** Counts ended calls, in batches, outside the path of a call. */
  note(rows: readonly UsageRow[]): void;
  /** Returns everything in Prometheus' text format. */
  render(): Promise<string>;
  /** Returns the same as objects. */
  read(): Promise<MetricObjectWithValues<MetricValue<string>>[]>;
};

export type MetricSources = {
  catalogue: Pick<Catalogue, 'snapshot'>;
  pool: Upstreams['pool'];
  programWatch: Pick<Upstreams['programWatch'], 'figures'>;
  db: Pick<Database, 'connections'>;
  usageWaiting(): number;
  /** Returns the number of requests refused since the start, by entry point. */
  refusals(): Record<'mcp' | 'api' | 'webhook', number>;
  /** Reads when the last automatic backup was taken, if any. The function itself is undefined if backups are off. */
  backupTakenAt: (() => Promise<Date | undefined>) | undefined;
  clock: Clock;
  /** Called once before each rendering. */
  readSystem(): Promise<SystemFigures>;
};

/**
 * The figures for the operator's monitoring. All except those of calls are read on demand. A label is the id of a deployed
 * server or one of a few words; never a user, a client or a tool.
 */
export async function createMetrics(sources: MetricSources): Promise<Metrics> {
  // loaded only if metrics are wanted, because the library costs memory
  const prom = await import('prom-client');
  const registry = new prom.Registry();
  prom.collectDefaultMetrics({ register: registry });
  const figures = figuresOf(prom, registry);
  const note = countCalls(prom, registry, figures, sources.catalogue);
  addCounts(figures, sources);
  const readSystem = addSystem(figures, sources);
  return {
    note,
    render: () => readSystem().then(() => registry.metrics()),
    read: () => readSystem().then(() => registry.getMetricsAsJSON()),
  };
}

type Prom = typeof import('prom-client');
type Labelled = readonly (readonly [labels: Record<string, string>, figure: number])[];
type Figures = ReturnType<typeof figuresOf>;

/** Registers figures that are read on demand. Those with labels are rebuilt each time, so that no stale label remains. */
function figuresOf({ Counter, Gauge }: Prom, registry: Registry) {
  const registers = [registry];
  return {
    gauge: (name: string, help: string, read: () => number) =>
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      }),
    gaugeBy: (name: string, help: string, label: string, read: () => Iterable<readonly [string, number]>) =>
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers,
        collect() {
          this.reset();
          for (const [value, figure] of read()) this.set({ [label]: value }, figure);
        },
      }),
    counter: (name: string, help: string, labelNames: string[], read: () => Labelled) =>
      new Counter({
        name,
        help,
        labelNames,
        registers,
        collect() {
          this.reset();
          for (const [labels, figure] of read()) this.inc(labels, figure);
        },
      }),
  };
}

function countCalls(
  { Histogram }: Prom,
  registry: Registry,
  { counter }: Figures,
  { snapshot }: MetricSources['catalogue'],
): Metrics['note'] {
  /** Plain numbers by server, which cost a call a tenth of what the library's counters would. */
  const counts = new Map<string, Record<UsageRow['outcome'], number>>();
  counter(
    'souk_calls_total',
    'Calls by how they ended: ok, error (the server said so), failed, refused, cancelled',
    ['server', 'outcome'],
    () => {
      forgetRemoved();
      return [...counts].flatMap(([server, byOutcome]) =>
        Object.entries(byOutcome).flatMap(([outcome, count]) =>
          count > 0 ? [[{ server, outcome }, count] as const] : [],
        ),
      );
    },
  );
  const durations = new Histogram({
    name: 'souk_call_duration_seconds',
    help: 'Time of calls that were sent to a server',
    labelNames: ['server'],
    buckets: durationBuckets,
    registers: [registry],
  });

  function countsOf(server: string): Record<UsageRow['outcome'], number> {
    let known = counts.get(server);
    if (!known) counts.set(server, (known = { ok: 0, error: 0, failed: 0, refused: 0, cancelled: 0 }));
    return known;
  }

  /** Limits the labels to the deployed servers and `none`. */
  function forgetRemoved(): void {
    for (const server of counts.keys()) {
      if (server === noServer || snapshot().byId.has(server)) continue;
      counts.delete(server);
      durations.remove({ server });
    }
  }

  return (rows) => {
    const { byId } = snapshot();
    for (const { serverId, outcome, reason, durationMs, count } of rows) {
      // the call ends with a later round, which is counted then
      if (reason === 'input_required') continue;
      const server = serverId !== undefined && byId.has(serverId) ? serverId : noServer;
      countsOf(server)[outcome] += count ?? 1;
      if (dispatched.has(outcome)) durations.observe({ server }, durationMs / 1000);
    }
  };
}

function addCounts({ gauge, gaugeBy, counter }: Figures, sources: MetricSources): void {
  const { snapshot } = sources.catalogue;
  const { pool, programWatch, db } = sources;
  gaugeBy('souk_upstream_up', 'Whether a deployed server is connected', 'server', () =>
    snapshot().servers.map(({ id, status }) => [id, status === 'connected' ? 1 : 0]),
  );
  gaugeBy('souk_upstreams', 'Deployed servers', 'state', () => {
    const { servers } = snapshot();
    const up = servers.filter(({ status }) => status === 'connected').length;
    const down = servers.filter(isDown).length;
    return Object.entries({ up, down, unknown: servers.length - up - down });
  });
  gaugeBy('souk_breakers', 'Circuits of deployed servers', 'state', () => {
    const circuits = { closed: 0, open: 0, 'half-open': 0 };
    for (const { id } of snapshot().servers) circuits[pool.circuitOf(id)]++;
    return Object.entries(circuits);
  });
  gauge('souk_calls_in_flight', 'Calls that servers are working on', () => pool.figures().callsInFlight);
  gauge('souk_calls_waiting', 'Calls queued for a server', () => pool.figures().callsWaiting);
  gauge('souk_upstream_connections', 'Open connections to servers', () => pool.figures().connections);
  gauge('souk_programs', 'Running programs (stdio servers)', () => pool.stdioPids().length);
  counter(
    'souk_programs_limited_total',
    'Programs stopped or not started because of a limit: folder, memory, processes, files, disk',
    ['limit'],
    () => Object.entries(programWatch.figures()).map(([limit, count]) => [{ limit }, count]),
  );
  counter(
    'souk_requests_refused_total',
    'Requests refused at the MCP endpoints or by rate limits of the API, and refused payment webhooks',
    ['door'],
    () => Object.entries(sources.refusals()).map(([door, count]) => [{ door }, count]),
  );
  gauge('souk_usage_rows_waiting', 'Call records not yet written to the database', sources.usageWaiting);
  gaugeBy('souk_database_connections', 'Connections to PostgreSQL', 'state', () =>
    Object.entries(db.connections?.() ?? {}),
  );
}

/** Adds figures of the database and its contents. @returns the function that reads them before each rendering */
function addSystem(
  { gauge, gaugeBy }: Figures,
  { readSystem, backupTakenAt, clock }: MetricSources,
): () => Promise<void> {
  let system: SystemFigures | undefined;
  let backupAgeSeconds = NaN;
  gauge('souk_database_up', 'Whether the database answers', () => system?.databaseUp ?? NaN);
  gauge('souk_disk_free_bytes', 'Free space on the disk of the data folder', () => system?.diskFreeBytes ?? NaN);
  gauge(
    'souk_ledger_differences',
    'Accounts whose credits did not add up when they were last checked',
    () => system?.ledgerDifferences ?? NaN,
  );
  gaugeBy('souk_payment_events', 'Unprocessed events of the payment provider', 'state', () => {
    const { waiting, failing } = system?.events ?? {};
    return waiting === undefined || failing === undefined ? [] : Object.entries({ waiting, failing });
  });
  gaugeBy(
    'souk_notices',
    'E-mails and alerts: waiting, waiting after a failure, and given up within a week',
    'state',
    () => {
      const { waiting, failing, givenUp } = system?.notices ?? {};
      if (waiting === undefined || failing === undefined || givenUp === undefined) return [];
      return Object.entries({ waiting, failing, 'given-up': givenUp });
    },
  );
  gauge(
    'souk_payment_last_event_timestamp_seconds',
    'When the last event of the payment provider arrived',
    () => system?.events?.lastAtSeconds ?? NaN,
  );
  if (backupTakenAt)
    gauge('souk_backup_age_seconds', 'Time since the last automatic backup; +Inf: none yet', () => backupAgeSeconds);

  return async () => {
    system = await readSystem();
    // a database that fails meanwhile must not hide the other figures
    const at = system.databaseUp === 1 ? await backupTakenAt?.().catch(() => new Date(NaN)) : new Date(NaN);
    backupAgeSeconds = at === undefined ? Number.POSITIVE_INFINITY : (clock.now() - at.getTime()) / 1000;
  };
}
