import type { Background } from '#platform/work/background.ts';
import * as store from './run-store.ts';
import type { Run } from './run-store.ts';
import type { ReloadParticipation } from './take-part-in-reloads.ts';
import { processRun, type RunParts } from './process-run.ts';

/**
 * Database failures allowed per run. After each, this broker releases the run to any broker. After more of them, one of
 * the run's manifests may be the cause: the next failure counts as a crash.
 */
const maxFailures = 20;

export function createRunWork(parts: {
  brokerId: string;
  runParts: RunParts;
  reloads: ReloadParticipation;
  background: Background;
  stopping: AbortSignal;
}) {
  const { brokerId, runParts, background, stopping } = parts;
  const { db, servers } = runParts;
  const working = new Map<string, AbortController>();
  const failures = new Map<string, number>();
  const isFailing = (runId: string) => (failures.get(runId) ?? 0) > maxFailures;

  /** Processes a run in the background. @param takeovers number of brokers that crashed while they processed it */
  function begin(run: Run, takeovers: number): void {
    const lost = new AbortController();
    working.set(run.id, lost);
    if (run.kind === 'reload') parts.reloads.noteWorked(run.id);
    const own = { runId: run.id, brokerId };
    const signal = AbortSignal.any([stopping, lost.signal]);
    const worked = processRun(run, own, takeovers, signal, runParts)
      .catch(async (error: unknown) => {
        if (error instanceof store.RunLostError) return;
        failures.set(run.id, (failures.get(run.id) ?? 0) + 1);
        // if this fails too, the run is taken over once its heartbeat has expired, here or elsewhere
        if (!isFailing(run.id)) await store.releaseRun(db, own).catch(() => {});
        throw error;
      })
      .finally(() => working.delete(run.id));
    background.add(worked, 'a manifest run failed');
  }

  return {
    begin,
    isWorking: () => working.size > 0,
    /**
     * Renews the heartbeat of this broker's runs, and takes over runs without one.
     * @param lifeMs silence after which a run's broker is considered dead
     * @returns whether any run is under way
     */
    async checkRuns(lifeMs: number): Promise<boolean> {
      const renewed = working.size > 0 ? await store.renewHeartbeats(db, brokerId, [...working.keys()]) : [];
      for (const [runId, lost] of working) if (!renewed.includes(runId)) lost.abort();
      const underWay = await store.findUnderWay(db, lifeMs);
      for (const runId of failures.keys()) if (!underWay.some(({ run }) => run.id === runId)) failures.delete(runId);
      for (const { run, isLeft } of underWay) {
        if (!isLeft || working.has(run.id) || (run.kind === 'reload' && !servers)) continue;
        const isOwnDeath = isFailing(run.id);
        const takeovers = await store.claimRun(db, { runId: run.id, brokerId }, { lifeMs, isOwnDeath });
        if (takeovers !== undefined && !stopping.aborted) begin(run, takeovers);
      }
      return underWay.length > 0;
    },
  };
}
