import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { adminApi } from '../../admin-api.ts';
import { useManifestsChanged } from '../manifest-queries.ts';
import { followRun, runQuery, runsQuery, type RunKind } from './run-queries.ts';
import { useSingleMutation } from '../../use-single-mutation.ts';

/** Poll interval while a run starts: the call that starts it returns only at its end, so the list shows its id first. */
const startingPollMs = 400;
/** Poll interval for runs that other administrators or tabs start. */
const pollMs = 20_000;
const reconnectAfterMs = 2000;

type StartedRun = { kind: RunKind; reason?: string };

/** Starts a reload or deploy-all, and finds the running or latest one of any administrator. */
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
      start.isPending && !state.data?.some(({ status }) => status === 'running') ? startingPollMs : pollMs,
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

/** A run with its manifests, updated by a stream while it runs. Reconnects if the connection breaks. */
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
      // storage is blocked: the result reappears on the next visit
    }
  };
  return [dismissed, dismiss];
}
