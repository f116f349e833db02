import {
  followManifestRun,
  manifestRunEventSchema,
  type ManifestRun,
  type ManifestRunItem,
} from '@souk/contract/admin/manifest-runs.ts';
import { openStream } from '@souk/contract/client.ts';
import { queryOptions } from '@tanstack/react-query';
import { readEvents } from '#web/loading/read-events.ts';
import { adminApi, adminClientOptions, adminKey } from '../../admin-api.ts';

export type RunKind = ManifestRun['kind'];

const runsKey = (userId: string) => [...adminKey(userId), 'runs'] as const;

/** The latest runs of all administrators, newest first. */
export const runsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...runsKey(userId), 'list'],
    queryFn: async () => (await adminApi.listManifestRuns()).runs,
  });

export const runQuery = (userId: string, id: string) =>
  queryOptions({
    queryKey: [...runsKey(userId), 'run', id],
    queryFn: async ({ signal }) => (await adminApi.getManifestRun({ params: { id } }, { signal })).run,
    // the stream reports changes while it runs; afterwards nothing changes
    staleTime: Number.POSITIVE_INFINITY,
  });

/** Minimum time between two reports, since a run of thousands of manifests sends events more often than that. */
const reportIntervalMs = 100;

/**
 * Reports a run as it proceeds, until it ends or the signal aborts.
 * @throws ApiError, or the error of a broken connection
 */
export async function followRun(id: string, signal: AbortSignal, report: (run: ManifestRun) => void): Promise<void> {
  let run: ManifestRun | undefined;
  let items = new Map<string, ManifestRunItem>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const flush = () => {
    timer = undefined;
    if (run && !signal.aborted) report({ ...run, items: [...items.values()] });
  };
  const stream = await openStream(followManifestRun, { params: { id } }, adminClientOptions, { signal });
  try {
    await readEvents(stream, (data) => {
      const event = manifestRunEventSchema.parse(data);
      if (event.type === 'item') items.set(event.item.id, event.item);
      else {
        run = event.run;
        items = new Map(run.items.map((item) => [item.id, item]));
      }
      timer ??= setTimeout(flush, reportIntervalMs);
    });
  } finally {
    clearTimeout(timer);
    flush();
  }
}
