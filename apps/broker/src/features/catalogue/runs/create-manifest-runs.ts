import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import { createBackground } from '#platform/work/background.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import { createWorkLoop } from '#platform/work/work-loop.ts';
import type { Catalogue } from '../create-catalogue.ts';
import type { ManifestActor } from '../manifests/manifest-versions.ts';
import type { CatalogueTables } from '../tables.ts';
import { insertOrJoinRun } from './begin-run.ts';
import type { ReloadParts } from './reload-servers.ts';
import { createRunListeners } from './run-listeners.ts';
import * as store from './run-store.ts';
import type { Run, RunItem, RunKind } from './run-store.ts';
import { createReloadParticipation } from './take-part-in-reloads.ts';
import type { RunParts } from './process-run.ts';
import { createRunWork } from './work-on-runs.ts';

const heartbeatMs = 2_000;
/** Silence after which other brokers consider this one dead. */
const lifeMs = 10_000;

export type WholeRun = { run: Run; items: RunItem[] };

/** Reloads and deploy-alls: runs that are stored and that a broker processes, even if no caller waits for them. */
export type ManifestRuns = {
  /** Takes over unfinished runs, and takes part in reloads of other brokers. */
  start(): Promise<void>;
  /**
   * Begins a run, or joins the one of its kind that is under way on any broker. Returns its id.
   * @throws SoukError unavailable for a reload without a broker
   */
  begin(kind: RunKind, by: ManifestActor): Promise<string>;
  /** Resolves with a run when it has ended. @throws SoukError unavailable when this broker stops first */
  ended(runId: string): Promise<WholeRun>;
  find(runId: string): Promise<WholeRun | undefined>;
  /** Finds a run with those of its manifests that changed after this change number. */
  since(runId: string, change: number): Promise<WholeRun | undefined>;
  list(): Promise<store.CountedRun[]>;
  /** Calls the listener when a run may have changed, and when this broker stops. Returns a function that removes it. */
  onChange(runId: string, listener: () => void): () => void;
  readonly isStopping: boolean;
  stop(): Promise<void>;
};

type ManifestRunParts = {
  db: Database;
  catalogue: Pick<Catalogue, 'snapshot' | 'reloadEverywhere' | 'reload'>;
  check(manifest: Manifest): void;
  /** Only a broker has these; without them no reload begins. */
  servers?: ReloadParts | undefined;
  clock: Clock;
  ids: Ids;
  log: Log;
};

export async function createManifestRuns(parts: ManifestRunParts): Promise<ManifestRuns> {
  const { servers, clock, ids, log } = parts;
  const db = parts.db.kysely.withTables<CatalogueTables>();
  const brokerId = ids.uuid();
  const background = createBackground(log);
  const listeners = createRunListeners();
  const stopping = new AbortController();
  const { signal } = stopping;
  let maxSilenceMs = lifeMs;

  const runParts: RunParts = {
    db,
    catalogue: parts.catalogue,
    notify: (runId) => parts.db.notify(store.runChannel, store.runNotice('changed', runId)),
    check: parts.check,
    servers,
    clock,
    log,
  };
  const reloads = createReloadParticipation({ ...runParts, catalogue: parts.catalogue, background, stopping: signal });
  const runWork = createRunWork({ brokerId, runParts, reloads, background, stopping: signal });

  const loop = createWorkLoop({
    async work() {
      const isUnderWay = await runWork.checkRuns(maxSilenceMs);
      maxSilenceMs = lifeMs;
      await reloads.takePart();
      return isUnderWay || runWork.isWorking() ? heartbeatMs : undefined;
    },
    failed(error) {
      log.error({ err: error }, 'the manifest runs could not be read');
      return heartbeatMs;
    },
  });

  const hear = (notice: string) => {
    const [word, runId] = notice.split(' ');
    // after a lost connection the notice is empty, and any run may have changed
    listeners.call(runId);
    if (runId === undefined || word === 'started') void loop.run();
  };
  const stopListening = await parts.db.listen(store.runChannel, hear, () => hear(''));

  async function since(runId: string, change: number): Promise<WholeRun | undefined> {
    const run = await store.findRun(db, runId);
    return run && { run, items: await store.findItems(db, runId, change) };
  }

  return {
    async start() {
      await reloads.start();
      // an embedded database has one broker: a run that was under way before this start has no broker any more
      if (parts.db.engine === 'pglite') maxSilenceMs = 0;
      await loop.run();
    },
    async begin(kind, by) {
      if (signal.aborted) throw new SoukError('unavailable');
      if (kind === 'reload' && !servers) {
        throw new SoukError('unavailable', { message: 'Souk does not run here: start it first.' });
      }
      const id = ids.uuid();
      reloads.noteBegun(id);
      const begun = await insertOrJoinRun(db, { id, kind, brokerId, by, at: new Date(clock.now()) }, clock);
      const run = begun === id ? await store.findRun(db, id) : undefined;
      if (run) runWork.begin(run, 0);
      void loop.run();
      return begun;
    },
    async ended(runId) {
      for (;;) {
        const changed = Promise.withResolvers<void>();
        const stopWaiting = listeners.add(runId, changed.resolve);
        try {
          const run = await store.findRun(db, runId);
          if (!run) throw new SoukError('not_found');
          if (run.status !== 'running') return { run, items: await store.findItems(db, runId) };
          if (signal.aborted) throw new SoukError('unavailable');
          await changed.promise;
        } finally {
          stopWaiting();
        }
      }
    },
    find: (runId) => since(runId, -1),
    since,
    list: () => store.listRuns(db),
    onChange: listeners.add,
    get isStopping() {
      return signal.aborted;
    },
    async stop() {
      stopping.abort();
      await loop.stop();
      listeners.call(undefined);
      await background.flush();
      await store.releaseRuns(db, brokerId);
      await stopListening();
    },
  };
}
