import { maxToolRuns, type RunEvent } from '@souk/contract/tool-runs.ts';
import type { Listening } from '#adapters/mcp/upstream.ts';
import { monotonicMs } from '#platform/clock.ts';
import { shareOf, type LiveBrokers } from '#platform/db/share-of.ts';
import { SoukError } from '#platform/errors.ts';
import { unanswered } from '../call/call.ts';
import { stopped } from '../call/open-questions.ts';
import { shutOut } from '../call/running-calls.ts';
import { totalTimeoutMs } from '../call/call-request.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { failureText, questionOf, resultEvent } from './run-events.ts';
import { runTool, type RunAsk, type ToolRun } from './run-tool.ts';
import type { RunMessage, RunsElsewhere } from './runs-elsewhere.ts';

type RunListener = { tell(event: RunEvent): void; listening(): Listening };
type WantedRun = Pick<ToolRun, 'caller' | 'callId' | 'serverId' | 'tool' | 'arguments'>;

export type ToolRuns = ReturnType<typeof createToolRuns>;

type Running = {
  userId: string;
  tokenId: string;
  abort: AbortController;
  questions: Map<string, (answer: Record<string, unknown>) => void>;
};

/**
 * Tools that users run from the web app.
 * @param elsewhere the runs of other brokers, if there can be any
 */
export function createToolRuns(
  parts: GatewayParts,
  elsewhere: RunsElsewhere | undefined,
  brokers: Pick<LiveBrokers, 'count'>,
) {
  const running = new Map<string, Running>();
  const handle = (userId: string, callId: string, message: RunMessage) => {
    const run = running.get(callId);
    return run?.userId === userId && takeMessage(run, message);
  };
  elsewhere?.serve({ callIds: () => [...running.keys()], handle });

  return {
    /**
     * Takes a place for a run. `follow` runs it, and resolves after the listener got its last event.
     * @throws SoukError too_many_runs, unavailable (the broker stops)
     */
    start(wanted: WantedRun): { follow(listener: RunListener): Promise<void>; abort(): void } {
      if (parts.isDraining()) throw new SoukError('unavailable');
      const { userId, tokenId } = wanted.caller;
      const own = [...running.values()].filter((run) => run.userId === userId).length;
      if (own >= shareOf(maxToolRuns, brokers)) {
        const message = `You can run ${maxToolRuns} tools at once. Wait until one has ended, or cancel it.`;
        throw new SoukError('too_many_runs', { message });
      }
      const run: Running = { userId, tokenId, abort: new AbortController(), questions: new Map() };
      running.set(wanted.callId, run);
      return {
        follow: (listener) => follow(wanted, run, listener, parts, () => running.delete(wanted.callId)),
        abort: () => run.abort.abort(),
      };
    },

    /**
     * Answers a question of a run or cancels it, even if another broker runs it.
     * @throws SoukError not_found (this user has no such run or question), rate_limited
     */
    async send(userId: string, callId: string, message: RunMessage): Promise<void> {
      const found =
        running.has(callId) || !elsewhere
          ? handle(userId, callId, message)
          : await elsewhere.pass(userId, callId, message);
      if (!found) throw new SoukError('not_found');
    },

    /** Ends the runs of a revoked token; none if the token is unknown (undefined). */
    endForToken(tokenId: string | undefined): void {
      for (const run of running.values()) if (run.tokenId === tokenId) run.abort.abort();
    },

    endForUser(userId: string): void {
      for (const run of running.values()) if (run.userId === userId) run.abort.abort(shutOut);
    },
  };
}

/** @returns false if the run does not have this question */
function takeMessage({ abort, questions }: Running, message: RunMessage): boolean {
  if (message.kind === 'cancellation') {
    abort.abort();
    return true;
  }
  const { id, action, content } = message.answer;
  const resolve = questions.get(id);
  if (!resolve) return false;
  questions.delete(id);
  resolve({ action, ...(action === 'accept' && content && { content }) });
  return true;
}

async function follow(
  wanted: WantedRun,
  run: Running,
  { tell, listening }: RunListener,
  parts: GatewayParts,
  leave: () => void,
): Promise<void> {
  const startedAtMs = monotonicMs(parts.clock);
  const lifetime = setTimeout(() => run.abort.abort(unanswered), totalTimeoutMs);
  const { signal } = run.abort;
  tell({ type: 'started', callId: wanted.callId });
  const toolRun: ToolRun = {
    ...wanted,
    signal,
    listening,
    onProgress: ({ progress, total, message }) =>
      tell({
        type: 'progress',
        progress,
        ...(total !== undefined && { total }),
        ...(message !== undefined && { message }),
      }),
    ask: (asked, withdrawn) => ask(run, tell, asked, withdrawn, parts),
  };
  try {
    const result = await runTool(toolRun, parts);
    tell(resultEvent(result, monotonicMs(parts.clock) - startedAtMs));
  } catch (error) {
    tell({ type: 'failed', message: failureText(error, signal, parts.log) });
  } finally {
    clearTimeout(lifetime);
    leave();
  }
}

function ask(
  run: Running,
  tell: RunListener['tell'],
  asked: RunAsk,
  signal: AbortSignal,
  { ids, questions }: GatewayParts,
): Promise<Record<string, unknown>> {
  const id = ids.uuid();
  const question = questionOf(id, asked);
  return new Promise((resolve, reject) => {
    const withdraw = () => {
      answered();
      if (!run.questions.delete(id)) return;
      tell({ type: 'withdrawn', id });
      reject(signal.reason);
    };
    const answered = questions.enter(() => run.abort.abort(stopped));
    if (signal.aborted) return reject(signal.reason);
    run.questions.set(id, (answer) => {
      answered();
      resolve(answer);
    });
    signal.addEventListener('abort', withdraw, { once: true });
    tell({ type: 'question', question });
  });
}
