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

/** The newest runs of all administrators, the last one first. */
export const runsQuery = (userId: string) =>
  queryOptions({
    queryKey: [...runsKey(userId), 'list'],
    queryFn: async () => (await adminApi.listManifestRuns()).runs,
  });

/** One run with its manifests. */
export const runQuery = (userId: string, id: string) =>
  queryOptions({
    queryKey: [...runsKey(userId), 'run', id],
    queryFn: async ({ signal }) => (await adminApi.getManifestRun({ params: { id } }, { signal })).run,
    // while it runs the stream tells, and afterwards nothing changes
    staleTime: Number.POSITIVE_INFINITY,
  });

/** What is drawn at once: a run of thousands tells more often than a screen can be read. */
const drawnEveryMs = 100;

/**
 * Tells a run as it happens, until its end or until the signal aborts.
 * @throws ApiError, or what a broken connection throws
 */
export async function followRun(id: string, signal: AbortSignal, tell: (run: ManifestRun) => void): Promise<void> {
  let run: ManifestRun | undefined;
  let items = new Map<string, ManifestRunItem>();
  let timer: ReturnType<typeof setTimeout> | undefined;
  const draw = () => {
    timer = undefined;
    if (run && !signal.aborted) tell({ ...run, items: [...items.values()] });
  };
  const stream = await openStream(followManifestRun, { params: { id } }, adminClientOptions, { signal });
  try {
    await readEvents(stream, (told) => {
      const event = manifestRunEventSchema.parse(told);
      if (event.type === 'item') items.set(event.item.id, event.item);
      else {
        run = event.run;
        items = new Map(run.items.map((item) => [item.id, item]));
      }
      timer ??= setTimeout(draw, drawnEveryMs);
    });
  } finally {
    clearTimeout(timer);
    draw();
  }
}
