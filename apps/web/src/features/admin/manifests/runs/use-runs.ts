import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { adminApi } from '../../admin-api.ts';
import { useManifestsChanged } from '../manifest-queries.ts';
import { followRun, runQuery, runsQuery, type RunKind } from './run-queries.ts';
import { useSingleMutation } from '../../use-single-mutation.ts';

/** While a run is being started, its id is looked for among the runs: the call that started it answers at its end. */
const lookForEveryMs = 400;
/** Other administrators and other tabs start runs too. */
const lookEveryMs = 20_000;
const reconnectAfterMs = 2000;

/** `reason`: of a deploy-all. */
type StartedRun = { kind: RunKind; reason?: string };

/** A reload or a deploy-all: starts one, and finds the one that runs or the last one, whoever started it. */
export function useRuns(userId: string) {
  const queries = useQueryClient();
  const changed = useManifestsChanged(userId);
  const [dismissed, dismiss] = useDismissedRun();
  const start = useSingleMutation({
    mutationFn: async ({ kind, reason }: StartedRun) => {
      await (kind === 'reload' ? adminApi.reloadManifests() : adminApi.deployAllManifests({ body: { reason } }));
    },
    onSettled: async () => {
      await queries.invalidateQueries({ queryKey: runsQuery(userId).queryKey });
      await changed();
    },
  });
  const runs = useQuery({
    ...runsQuery(userId),
    refetchInterval: ({ state }) =>
      start.isPending && !state.data?.some(({ status }) => status === 'running') ? lookForEveryMs : lookEveryMs,
  });
  const running = runs.data?.find(({ status }) => status === 'running');
  const newest = runs.data?.[0];
  return {
    start,
    runningKind: running?.kind,
    shownId: running?.id ?? (newest?.id === dismissed ? undefined : newest?.id),
    dismiss,
  };
}

/** A run with its manifests, followed while it runs. A connection that breaks is opened again. */
export function useRun(userId: string, id: string) {
  const queries = useQueryClient();
  const changed = useManifestsChanged(userId);
  const query = useQuery(runQuery(userId, id));
  const isRunning = query.data?.status === 'running';
  useEffect(() => {
    if (!isRunning) return undefined;
    const controller = new AbortController();
    const { signal } = controller;
    const { queryKey } = runQuery(userId, id);
    let timer: ReturnType<typeof setTimeout> | undefined;
    let hasEnded = false;
    const follow = async () => {
      await followRun(id, signal, (run) => {
        hasEnded = run.status !== 'running';
        queries.setQueryData(queryKey, run);
      }).catch(() => undefined);
      if (signal.aborted) return;
      if (hasEnded) {
        await queries.invalidateQueries({ queryKey: runsQuery(userId).queryKey });
        await changed();
      } else timer = setTimeout(() => void follow(), reconnectAfterMs);
    };
    void follow();
    return () => {
      controller.abort();
      clearTimeout(timer);
    };
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- `changed` is new at each render and does the same
  }, [isRunning, userId, id, queries]);
  return query;
}

const dismissedKey = 'souk.admin-run-dismissed';

/** The run whose result needs no more reading, kept by this browser. */
function useDismissedRun(): [string | null, (id: string) => void] {
  const [dismissed, setDismissed] = useState(() => {
    try {
      return window.localStorage.getItem(dismissedKey);
    } catch {
      return null;
    }
  });
  const dismiss = (id: string) => {
    setDismissed(id);
    try {
      window.localStorage.setItem(dismissedKey, id);
    } catch {
      // storage is forbidden: it comes back with the next visit
    }
  };
  return [dismissed, dismiss];
}
