import { isDown, type Catalogue } from '#features/catalogue/index.ts';
import type { UsageRow } from '#features/billing/index.ts';
import type { Upstreams } from '#features/upstreams/index.ts';
import type { MetricObjectWithValues, MetricValue } from 'prom-client';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { SystemFigures } from './system-figures.ts';

/** Of a call in seconds: from an answer out of memory to the longest deadline. */
const durationBuckets = [0.001, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];
/** Calls of these were sent to a server: their time says something about it. */
const dispatched: ReadonlySet<string> = new Set(['ok', 'error', 'failed']);
/** Calls of built-in tools and of names that nobody offers. */
const noServer = 'none';

export type Metrics = {
  /** Counts calls that have ended: called with batches, beside the path of a call. */
  note(rows: readonly UsageRow[]): void;
  /** Everything, as Prometheus reads it. */
  render(): Promise<string>;
  /** The same as objects. */
  read(): Promise<MetricObjectWithValues<MetricValue<string>>[]>;
};

/**
 * What the operator's monitoring asks for. All figures but those of calls are read when they are asked for. A label is the
 * id of a deployed server, or one of a few words; never a person, a client or a tool.
 */
export async function createMetrics(sources: {
  catalogue: Pick<Catalogue, 'snapshot'>;
  pool: Upstreams['pool'];
  programWatch: Pick<Upstreams['programWatch'], 'figures'>;
  db: Pick<Database, 'connections'>;
  usageWaiting(): number;
  /** Requests that were refused since the start, by where they came in. */
  refusals(): Record<'mcp' | 'api' | 'webhook', number>;
  /** When the last backup by itself was taken; undefined where there is none, or none is made. */
  backupTakenAt: (() => Promise<Date | undefined>) | undefined;
  clock: Clock;
  /** Read once before each rendering. */
  readSystem(): Promise<SystemFigures>;
}): Promise<Metrics> {
  // only where it is wanted: the library costs memory
  const { Counter, Gauge, Histogram, Registry, collectDefaultMetrics } = await import('prom-client');
  const { catalogue, pool, programWatch, db } = sources;
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });

  /** By server: plain figures, which cost a call a tenth of what the library's own would. */
  const counts = new Map<string, Record<UsageRow['outcome'], number>>();
  const calls = new Counter({
    name: 'souk_calls_total',
    help: 'Calls by how they ended: ok, error (the server said so), failed, refused, cancelled',
    labelNames: ['server', 'outcome'],
    registers: [],
    collect() {
      forgetRemoved();
      this.reset();
      for (const [server, byOutcome] of counts) {
        for (const [outcome, count] of Object.entries(byOutcome)) if (count > 0) this.inc({ server, outcome }, count);
      }
    },
  });
  registry.registerMetric(calls);
  const durations = new Histogram({
    name: 'souk_call_duration_seconds',
    help: 'Time of calls that were sent to a server',
    labelNames: ['server'],
    buckets: durationBuckets,
    registers,
  });

  function countsOf(server: string): Record<UsageRow['outcome'], number> {
    let known = counts.get(server);
    if (!known) counts.set(server, (known = { ok: 0, error: 0, failed: 0, refused: 0, cancelled: 0 }));
    return known;
  }

  /** There are never more labels than deployed servers, and one. */
  function forgetRemoved(): void {
    for (const server of counts.keys()) {
      if (server === noServer || catalogue.snapshot().byId.has(server)) continue;
      counts.delete(server);
      durations.remove({ server });
    }
  }

  const gauge = (name: string, help: string, read: () => number) =>
    new Gauge({
      name,
      help,
      registers,
      collect() {
        this.set(read());
      },
    });
  /** Written anew each time, so that nothing of a former state stays. */
  const gaugeBy = (name: string, help: string, label: string, read: () => Iterable<readonly [string, number]>) =>
    new Gauge({
      name,
      help,
      labelNames: [label],
      registers,
      collect() {
        this.reset();
        for (const [value, figure] of read()) this.set({ [label]: value }, figure);
      },
    });

  gaugeBy('souk_upstream_up', 'Whether a deployed server is connected', 'server', () =>
    catalogue.snapshot().servers.map(({ id, status }) => [id, status === 'connected' ? 1 : 0]),
  );
  gaugeBy('souk_upstreams', 'Deployed servers', 'state', () => {
    const { servers } = catalogue.snapshot();
    const up = servers.filter(({ status }) => status === 'connected').length;
    const down = servers.filter(isDown).length;
    return Object.entries({ up, down, unknown: servers.length - up - down });
  });
  gaugeBy('souk_breakers', 'Circuits of deployed servers', 'state', () => {
    const counts = { closed: 0, open: 0, 'half-open': 0 };
    for (const { id } of catalogue.snapshot().servers) counts[pool.circuitOf(id)]++;
    return Object.entries(counts);
  });
  gauge('souk_calls_in_flight', 'Calls that servers are working on', () => pool.figures().callsInFlight);
  gauge('souk_calls_waiting', 'Calls in the queues for a place at a server', () => pool.figures().callsWaiting);
  gauge('souk_upstream_connections', 'Open connections to servers', () => pool.figures().connections);
  gauge('souk_programs', 'Programs (stdio servers) that run', () => pool.stdioPids().length);
  const limited = new Counter({
    name: 'souk_programs_limited_total',
    help: 'Programs that were ended or not started, by the limit: folder, memory, processes, files, disk',
    labelNames: ['limit'],
    registers: [],
    collect() {
      this.reset();
      for (const [limit, count] of Object.entries(programWatch.figures())) this.inc({ limit }, count);
    },
  });
  registry.registerMetric(limited);
  const refused = new Counter({
    name: 'souk_requests_refused_total',
    help: 'Requests that were refused at the MCP endpoints or by the rates of the API, and refused webhooks of payments',
    labelNames: ['door'],
    registers: [],
    collect() {
      this.reset();
      for (const [door, count] of Object.entries(sources.refusals())) this.inc({ door }, count);
    },
  });
  registry.registerMetric(refused);
  gauge('souk_usage_rows_waiting', 'Records of calls that the database has not taken yet', sources.usageWaiting);
  gaugeBy('souk_database_connections', 'Connections to PostgreSQL', 'state', () =>
    Object.entries(db.connections?.() ?? {}),
  );
  let system: SystemFigures | undefined;
  const readSystem = async () => {
    system = await sources.readSystem();
  };
  gauge('souk_database_up', 'Whether the database answers', () => system?.databaseUp ?? NaN);
  gauge('souk_disk_free_bytes', 'Free space on the disk of the data folder', () => system?.diskFreeBytes ?? NaN);
  gauge(
    'souk_ledger_differences',
    'Accounts whose credits did not add up when they were last checked',
    () => system?.ledgerDifferences ?? NaN,
  );
  gaugeBy('souk_payment_events', 'Events of the payment provider that are not worked off', 'state', () => {
    const { waiting, failing } = system?.events ?? {};
    return waiting === undefined || failing === undefined ? [] : Object.entries({ waiting, failing });
  });
  gaugeBy(
    'souk_notices',
    'E-mails and alerts that wait, that failed and wait, and that were given up in a week',
    'state',
    () => {
      const { waiting, failing, givenUp } = system?.notices ?? {};
      if (waiting === undefined || failing === undefined || givenUp === undefined) return [];
      return Object.entries({ waiting, failing, 'given-up': givenUp });
    },
  );
  gauge(
    'souk_payment_last_event_timestamp_seconds',
    'When the last event of the payment provider came',
    () => system?.events?.lastAtSeconds ?? NaN,
  );

  const { backupTakenAt, clock } = sources;
  if (backupTakenAt) {
    const age = new Gauge({
      name: 'souk_backup_age_seconds',
      help: 'Time since the last backup that was written by itself; +Inf: none yet',
      registers: [],
      async collect() {
        // a database that goes away meanwhile must not take all figures with it
        if (system?.databaseUp !== 1) return this.set(NaN);
        const at = await backupTakenAt().catch(() => new Date(NaN));
        this.set(at === undefined ? Number.POSITIVE_INFINITY : (clock.now() - at.getTime()) / 1000);
      },
    });
    registry.registerMetric(age);
  }

  return {
    note(rows) {
      const { byId } = catalogue.snapshot();
      for (const { serverId, outcome, reason, durationMs, count } of rows) {
        // it ends with another round
        if (reason === 'input_required') continue;
        const server = serverId !== undefined && byId.has(serverId) ? serverId : noServer;
        countsOf(server)[outcome] += count ?? 1;
        if (dispatched.has(outcome)) durations.observe({ server }, durationMs / 1000);
      }
    },
    render: () => readSystem().then(() => registry.metrics()),
    read: () => readSystem().then(() => registry.getMetricsAsJSON()),
  };
}
