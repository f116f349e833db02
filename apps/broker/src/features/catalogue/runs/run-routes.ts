import {
  deployAllManifests,
  followManifestRun,
  getManifestRun,
  listManifestRuns,
  previewDeployAll,
  reloadManifests,
} from '@souk/contract/admin/manifest-runs.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { EventStream } from '#platform/http/answers/event-stream.ts';
import type { KeepAlive } from '#platform/http/connections/keep-alive.ts';
import type { PersonStreams } from '#platform/http/answers/person-streams.ts';
import type { Router } from '#platform/http/router.ts';
import type { PeopleOfServers } from '../manifests/read-manifest.ts';
import type { CatalogueTables } from '../tables.ts';
import type { ManifestRuns } from './create-manifest-runs.ts';
import { followRun, type RunListener } from './follow-run.ts';
import { presentHead, presentRun, resultOf } from './present-run.ts';
import type { DifferenceParts } from '../manifests/differences/read-differences.ts';
import { previewDeployAll as readPreview } from './preview-deploy-all.ts';
import type { RunKind } from './run-store.ts';

/** Streams per administrator and broker. */
const maxStreams = 6;

/** Mounts reload, deploy-all (specification part 2, section 7), and their runs. */
export function mountManifestRunRoutes(
  router: Router,
  parts: PeopleOfServers &
    DifferenceParts & {
      runs: ManifestRuns;
      db: Pick<Database, 'kysely'>;
      keepAlive: KeepAlive;
      streams: PersonStreams;
    },
): void {
  const { runs, emailsOf, keepAlive, streams } = parts;
  const success = { success: true as const };

  /** Runs and returns the result. The run continues if the caller disconnects. */
  async function run(kind: RunKind, { userId }: Caller, reason?: string) {
    const runId = await runs.begin(kind, { actorId: userId, via: 'administration', reason });
    return resultOf(await runs.ended(runId));
  }

  router.route(reloadManifests, async ({ caller }) => {
    const { done, errors, runId } = await run('reload', caller);
    return { ...success, reloadedCount: done, errors, runId };
  });

  router.route(deployAllManifests, async ({ caller, body }) => {
    const { done, failed, errors, runId } = await run('deploy-all', caller, body.reason);
    return { ...success, deployed: done, failed, errors, runId };
  });

  router.route(previewDeployAll, async () => {
    const db = parts.db.kysely.withTables<CatalogueTables>();
    return { ...success, ...(await readPreview({ ...parts, db })) };
  });

  router.route(listManifestRuns, async () => {
    const newest = await runs.list();
    const emails = await emailsOf([...new Set(newest.flatMap(({ run: { startedBy } }) => startedBy ?? []))]);
    return {
      ...success,
      runs: newest.map(({ run: head, ...counts }) => ({ ...presentHead(head, emails), ...counts })),
    };
  });

  router.route(getManifestRun, async ({ params }) => {
    const found = await runs.find(params.id);
    if (!found) throw new SoukError('not_found');
    return { ...success, run: await presentRun(found, emailsOf) };
  });

  router.route(followManifestRun, async ({ params, caller, reply }) => {
    if (!(await runs.find(params.id))) throw new SoukError('not_found');
    if (streams.countOf(caller.userId) >= maxStreams) throw new SoukError('rate_limited');
    const stream = streams.open(reply, caller);
    const stopComments = keepAlive.watch(stream.keepAlive);
    try {
      await followRun(params.id, runs, listenerOf(stream), emailsOf);
    } finally {
      stopComments();
      stream.end();
    }
    return '';
  });
}

function listenerOf({ response, tell, onClose }: EventStream): RunListener {
  const gone = new AbortController();
  onClose(() => gone.abort());
  return {
    tell,
    signal: gone.signal,
    async ready() {
      if (!response.writableNeedDrain || gone.signal.aborted) return;
      const { promise, resolve } = Promise.withResolvers<void>();
      response.once('drain', resolve).once('close', resolve);
      await promise;
      response.off('drain', resolve).off('close', resolve);
    },
  };
}
