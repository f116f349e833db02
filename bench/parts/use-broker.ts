import { setTimeout as pause } from 'node:timers/promises';
import { ScriptedBrowser } from '../../apps/broker/src/testing/people/scripted-browser.ts';
import { McpConnection } from '../mcp-connection.ts';
import { ascending, percentile, rounded } from '../report/statistics.ts';

/** Concurrent callers, each of which calls, waits for the answer and pauses. */
const callers = 4;
const betweenCallsMs = 20;
const betweenSignInsMs = 250;
const answerWithinMs = 10_000;

/** Waiting times of users, in milliseconds. */
export type Waits = {
  calls: number;
  failed: number;
  callP50: number;
  callP99: number;
  signIns: number;
  signInP50: number;
  signInP95: number;
  pageP50: number;
  pageP99: number;
};

/**
 * Uses a broker until `signal` aborts: free and paid calls over kept connections, complete sign-ins, and the shop's first page.
 */
export async function useBroker(origin: string, token: string, signal: AbortSignal): Promise<Waits> {
  const times = { calls: [] as number[], signIns: [] as number[], pages: [] as number[] };
  let failed = 0;
  const each = async (waits: number[], betweenMs: number, act: () => Promise<unknown>) => {
    while (!signal.aborted) {
      const beganAt = performance.now();
      try {
        await act();
        waits.push(performance.now() - beganAt);
      } catch (error) {
        failed++;
        waits.push(answerWithinMs);
        if (failed === 1) console.log(`failed: ${String(error)}`);
      }
      await pause(betweenMs);
    }
  };
  const call = async (tool: string) => {
    let connection: McpConnection | undefined;
    let count = 0;
    await each(times.calls, betweenCallsMs, async () => {
      connection ??= await McpConnection.open({ url: `${origin}/mcp`, token, askable: false }, 'modern', [tool]);
      await connection.echo(`text ${count++}`);
    });
    await connection?.close();
  };
  const within = { signal: AbortSignal.timeout(3_600_000) };
  await Promise.all([
    ...Array.from({ length: callers }, (_, index) => call(index % 2 === 0 ? 'called__echo' : 'paid__echo')),
    each(times.signIns, betweenSignInsMs, () => new ScriptedBrowser(origin).signInWeb({ email: 'ann@souk.test' })),
    each(times.pages, betweenSignInsMs, async () => {
      const answer = await fetch(`${origin}/api/catalogue/servers`, within);
      await answer.arrayBuffer();
      if (!answer.ok) throw new Error(`the first page: ${answer.status}`);
    }),
  ]);
  const share = (values: readonly number[], at: number) => rounded(percentile(values.toSorted(ascending), at));
  return {
    calls: times.calls.length,
    failed,
    callP50: share(times.calls, 0.5),
    callP99: share(times.calls, 0.99),
    signIns: times.signIns.length,
    signInP50: share(times.signIns, 0.5),
    signInP95: share(times.signIns, 0.95),
    pageP50: share(times.pages, 0.5),
    pageP99: share(times.pages, 0.99),
  };
}
