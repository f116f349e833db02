import { monitorEventLoopDelay } from 'node:perf_hooks';
import { watchLongestTurn } from '../../apps/broker/src/testing/figures/longest-turn.ts';
import { median, rounded } from '../report/statistics.ts';

/** Time for which pages are requested after a change, until its effects have ended. */
const watchedMs = 1_500;

export type ChangeResult = {
  change: string;
  /** Processor time of the longest turn of the event loop, which includes this driver. */
  turnMs: number;
  worstTurnMs: number;
  /** Longest delay of the event loop by the clock, including the effect of other processes. */
  delayMs: number;
  /** Slowest administrator page meanwhile. */
  pageMs: number;
  worstPageMs: number;
};

/** Changes the catalogue in each round, and measures the delay of an administrator's page and of the event loop. */
export async function measureChanges(
  changes: Readonly<Record<string, (round: number) => Promise<unknown>>>,
  page: () => Promise<{ ms: number }>,
  rounds: number,
): Promise<ChangeResult[]> {
  const results: ChangeResult[] = [];
  for (const [change, make] of Object.entries(changes)) {
    const turns: number[] = [];
    const delays: number[] = [];
    const pages: number[] = [];
    for (let round = 0; round < rounds; round++) {
      const longestTurnMs = watchLongestTurn();
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      const made = make(round);
      let slowest = 0;
      for (const startedAt = performance.now(); performance.now() - startedAt < watchedMs;)
        slowest = Math.max(slowest, (await page()).ms);
      await made;
      delay.disable();
      turns.push(longestTurnMs());
      delays.push(delay.max / 1e6);
      pages.push(slowest);
    }
    results.push({
      change,
      turnMs: rounded(median(turns)),
      worstTurnMs: rounded(Math.max(...turns)),
      delayMs: rounded(median(delays)),
      pageMs: rounded(median(pages)),
      worstPageMs: rounded(Math.max(...pages)),
    });
  }
  return results;
}
