import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { writeAudit, type AuditEntry } from '#platform/audit/audit-log.ts';
import { createBackground } from '#platform/work/background.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import { createWorkLoop } from '#platform/work/work-loop.ts';
import type { Catalogue } from '../create-catalogue.ts';
import type { DecidedBy } from '../manifests/manifest-versions.ts';
import type { CatalogueTables } from '../tables.ts';
import { reloadServers, type ReloadParts } from './reload-servers.ts';
import * as store from './run-store.ts';
import type { Run, RunItem, RunKind } from './run-store.ts';
import { workOffRun, type RunParts } from './work-off-run.ts';

/** How often a broker shows that it works on a run, and how long without that others take it for dead. */
const beatMs = 2_000;
const lifeMs = 10_000;
/** So often a broker leaves a run that the database failed. After that one of its manifests may be what fails: it counts as a death. */
const maxFailures = 20;

export type WholeRun = { run: Run; items: RunItem[] };

/** Reload and deploy-all: stored runs that a broker works off, whoever waits for them. */
export type ManifestRuns = {
  /** Takes up what a broker left unfinished, and takes part in what others begin. */
  start(): Promise<void>;
  /**
   * Begins a run, or joins the one of its kind that is under way on any broker. Answers its id.
   * @throws SoukError unavailable for a reload where no broker runs
   */
  begin(kind: RunKind, by: DecidedBy): Promise<string>;
  /** Resolves with a run when it has ended. @throws SoukError unavailable when this broker stops before */
  ended(runId: string): Promise<WholeRun>;
  find(runId: string): Promise<WholeRun | undefined>;
  /** The run itself, and its manifests that changed after this number. */
  since(runId: string, change: number): Promise<WholeRun | undefined>;
  list(): Promise<store.CountedRun[]>;
  /** Calls back when a run may have changed, and when this broker stops. Answers a function that ends it. */
  onChange(runId: string, listener: () => void): () => void;
  readonly isStopping: boolean;
  stop(): Promise<void>;
};

export async function createManifestRuns(parts: {
  db: Database;
  catalogue: Pick<Catalogue, 'snapshot' | 'reread' | 'readAgain'>;
  check(manifest: Manifest): void;
  /** What a broker has and a command has not; without it no reload begins. */
  servers?: ReloadParts | undefined;
  clock: Clock;
  ids: Ids;
  log: Log;
}): Promise<ManifestRuns> {
  const { catalogue, servers, clock, ids, log } = parts;
  const db = parts.db.kysely.withTables<CatalogueTables>();
  const brokerId = ids.uuid();
  const background = createBackground(log);
  const listeners = new Map<string, Set<() => void>>();
  /** The runs that are worked off here. */
  const working = new Map<string, AbortController>();
  /** How often the database failed this broker at a run. */
  const failures = new Map<string, number>();
  const stopping = new AbortController();
  let patienceMs = lifeMs;
  /** The reload that this broker took part in last, and the one that it began, of which its own notice may tell it first. */
  let reloaded: string | undefined;
  let begun: string | undefined;

  const runParts: RunParts = {
    db,
    catalogue,
    notify: (runId) => parts.db.notify(store.runChannel, store.runNotice('changed', runId)),
    check: parts.check,
    servers,
    clock,
    log,
  };

  const loop = createWorkLoop({
    work: look,
    failed(error) {
      log.error({ err: error }, 'the runs of manifests could not be read');
      return beatMs;
    },
  });

  const hear = (notice: string) => {
    const [word, runId] = notice.split(' ');
    // after a lost connection the notice is empty, and anything may have happened
    const told = runId === undefined ? [...listeners.values()] : [listeners.get(runId) ?? []];
    for (const listener of told.flatMap((each) => [...each])) listener();
    if (runId === undefined || word === 'started') void loop.run();
  };
  const stopListening = await parts.db.listen(store.runChannel, hear, () => hear(''));

  function work(run: Run, takeovers: number): void {
    const lost = new AbortController();
    working.set(run.id, lost);
    if (run.kind === 'reload') reloaded = run.id;
    const own = { runId: run.id, brokerId };
    const signal = AbortSignal.any([stopping.signal, lost.signal]);
    const worked = workOffRun(run, own, takeovers, signal, runParts)
      .catch(async (error: unknown) => {
        if (error instanceof store.RunLostError) return;
        failures.set(run.id, (failures.get(run.id) ?? 0) + 1);
        // where that fails too, it is taken up again without a sign of life, here or elsewhere
        if (!isFailing(run.id)) await store.leaveRun(db, own).catch(() => {});
        throw error;
      })
      .finally(() => working.delete(run.id));
    background.add(worked, 'a run of manifests could not be worked off');
  }

  const isFailing = (runId: string) => (failures.get(runId) ?? 0) > maxFailures;

  /** Shows that this broker lives, takes up what is left unfinished, and looks again while a run is under way. */
  async function look(): Promise<number | undefined> {
    const still = working.size > 0 ? await store.beat(db, brokerId, [...working.keys()]) : [];
    for (const [runId, lost] of working) if (!still.includes(runId)) lost.abort();
    const underWay = await store.findUnderWay(db, patienceMs);
    for (const runId of failures.keys()) if (!underWay.some(({ run }) => run.id === runId)) failures.delete(runId);
    for (const { run, isLeft } of underWay) {
      if (!isLeft || working.has(run.id) || (run.kind === 'reload' && !servers)) continue;
      const isOwnDeath = isFailing(run.id);
      const takeovers = await store.claimRun(db, { runId: run.id, brokerId }, { patienceMs, isOwnDeath });
      if (takeovers !== undefined && !stopping.signal.aborted) work(run, takeovers);
    }
    patienceMs = lifeMs;
    if (servers) await takePart(servers);
    return underWay.length > 0 || working.size > 0 ? beatMs : undefined;
  }

  /** A reload opens new connections on every broker. */
  async function takePart(given: ReloadParts): Promise<void> {
    const newest = await store.newestReload(db);
    if (newest === undefined || newest === reloaded || newest === begun) return;
    reloaded = newest;
    const reload = async () => {
      await catalogue.readAgain();
      const serverIds = catalogue.snapshot().servers.map(({ id }) => id);
      await reloadServers(serverIds, stopping.signal, { ...given, catalogue, log });
    };
    background.add(reload(), 'the servers could not be reloaded');
  }

  async function since(runId: string, change: number): Promise<WholeRun | undefined> {
    const run = await store.findRun(db, runId);
    return run && { run, items: await store.findItems(db, runId, change) };
  }

  const find = (runId: string) => since(runId, -1);

  function onChange(runId: string, listener: () => void): () => void {
    const own = listeners.get(runId) ?? new Set();
    listeners.set(runId, own.add(listener));
    return () => {
      own.delete(listener);
      if (own.size === 0) listeners.delete(runId);
    };
  }

  async function join(kind: RunKind, by: DecidedBy): Promise<string | undefined> {
    const run = await store.findRunning(db, kind);
    if (!run) return undefined;
    // who asked for it stands in the log, also beside the one who was first
    if (run.startedBy !== by.actorId) {
      const details = { kind, run: run.id };
      const { actorId, reason } = by;
      const entry: AuditEntry = { actorId, action: 'manifests.run-joined', subject: 'manifests', reason, details };
      await writeAudit(db, entry, new Date(clock.now()));
    }
    void loop.run();
    return run.id;
  }

  async function begin(kind: RunKind, by: DecidedBy): Promise<string> {
    if (stopping.signal.aborted) throw new SoukError('unavailable');
    if (kind === 'reload' && !servers) {
      throw new SoukError('unavailable', { message: 'Souk does not run here: start it first.' });
    }
    const id = ids.uuid();
    begun = id;
    const at = new Date(clock.now());
    // the one that was under way may end between the two looks
    for (;;) {
      if (await store.insertRun(db, { id, kind, brokerId, by, at })) break;
      const joined = await join(kind, by);
      if (joined !== undefined) return joined;
    }
    const run = await store.findRun(db, id);
    if (run) work(run, 0);
    void loop.run();
    return id;
  }

  return {
    async start() {
      reloaded = await store.newestReload(db);
      // an embedded database has one broker: who worked on a run before this start has ended
      if (parts.db.engine === 'pglite') patienceMs = 0;
      await loop.run();
    },
    begin,
    async ended(runId) {
      for (;;) {
        const changed = Promise.withResolvers<void>();
        const stopWaiting = onChange(runId, changed.resolve);
        try {
          const run = await store.findRun(db, runId);
          if (!run) throw new SoukError('not_found');
          if (run.status !== 'running') return { run, items: await store.findItems(db, runId) };
          if (stopping.signal.aborted) throw new SoukError('unavailable');
          await changed.promise;
        } finally {
          stopWaiting();
        }
      }
    },
    find,
    since,
    list: () => store.listRuns(db),
    onChange,
    get isStopping() {
      return stopping.signal.aborted;
    },
    async stop() {
      stopping.abort();
      await loop.stop();
      for (const listener of [...listeners.values()].flatMap((own) => [...own])) listener();
      await background.flush();
      await store.leaveRuns(db, brokerId);
      await stopListening();
    },
  };
}
