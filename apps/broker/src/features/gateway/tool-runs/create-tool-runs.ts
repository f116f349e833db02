import { ProtocolError, type CallToolResult } from '@modelcontextprotocol/server';
import { maxToolRuns, type RunEvent, type RunFacts, type RunQuestion } from '@souk/contract/tool-runs.ts';
import type { Listening } from '#adapters/mcp/upstream.ts';
import { monotonicMs } from '#platform/clock.ts';
import { shareOf, type LiveBrokers } from '#platform/db/share-of.ts';
import { SoukError } from '#platform/errors.ts';
import { asRecord } from '#platform/json.ts';
import { isWebPage } from '#platform/http/is-web-page.ts';
import { ownFact } from '#platform/own-meta.ts';
import { unanswered } from '../call/call.ts';
import { stoppedText } from '../call/call-failure.ts';
import { stopped } from '../call/open-questions.ts';
import { shutOut } from '../call/running-calls.ts';
import { totalTimeoutMs } from '../call/call-request.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { runTool, type RunAsk, type ToolRun } from './run-tool.ts';
import type { RunMessage, RunsElsewhere } from './runs-elsewhere.ts';

/** Where a run's events go. */
export type RunListener = { tell(event: RunEvent): void; listening(): Listening };
export type WantedRun = Pick<ToolRun, 'caller' | 'callId' | 'serverId' | 'tool' | 'arguments'>;

/** Tools that people run from the web app. */
export type ToolRuns = {
  /**
   * Takes a place for a run; `follow` runs it, and resolves when the listener has been told its end.
   * @throws SoukError too_many_runs, unavailable (the broker stops)
   */
  start(wanted: WantedRun): { follow(listener: RunListener): Promise<void>; abort(): void };
  /**
   * Answers a question of a run or cancels it, also if another broker runs it.
   * @throws SoukError not_found (no such run of this person, or no such question), rate_limited
   */
  send(userId: string, callId: string, message: RunMessage): Promise<void>;
  /** Ends the runs of a token that was revoked; undefined, where notices were missed, ends none. */
  endForToken(tokenId: string | undefined): void;
  /** Ends the runs of a person who was shut out. */
  endForPerson(userId: string): void;
};

type Running = {
  userId: string;
  tokenId: string;
  abort: AbortController;
  questions: Map<string, (answer: Record<string, unknown>) => void>;
};

/** @param elsewhere the runs of other brokers, where there may be some */
export function createToolRuns(
  parts: GatewayParts,
  elsewhere: RunsElsewhere | undefined,
  brokers: Pick<LiveBrokers, 'count'>,
): ToolRuns {
  const running = new Map<string, Running>();
  elsewhere?.serve({ callIds: () => [...running.keys()], handle });

  function handle(userId: string, callId: string, message: RunMessage): boolean {
    const run = running.get(callId);
    if (run?.userId !== userId) return false;
    if (message.kind === 'cancellation') {
      run.abort.abort();
      return true;
    }
    const { id, action, content } = message.answer;
    const resolve = run.questions.get(id);
    if (!resolve) return false;
    run.questions.delete(id);
    resolve({ action, ...(action === 'accept' && content && { content }) });
    return true;
  }

  function ask(run: Running, tell: RunListener['tell'], asked: RunAsk, signal: AbortSignal) {
    const id = parts.ids.uuid();
    const question = questionOf(id, asked);
    return new Promise<Record<string, unknown>>((resolve, reject) => {
      const withdraw = () => {
        answered();
        if (!run.questions.delete(id)) return;
        tell({ type: 'withdrawn', id });
        reject(signal.reason);
      };
      const answered = parts.questions.enter(() => run.abort.abort(stopped));
      if (signal.aborted) return reject(signal.reason);
      run.questions.set(id, (answer) => {
        answered();
        resolve(answer);
      });
      signal.addEventListener('abort', withdraw, { once: true });
      tell({ type: 'question', question });
    });
  }

  async function follow(wanted: WantedRun, run: Running, { tell, listening }: RunListener): Promise<void> {
    const startedAtMs = monotonicMs(parts.clock);
    const lifetime = setTimeout(() => run.abort.abort(unanswered), totalTimeoutMs);
    const { signal } = run.abort;
    tell({ type: 'started', callId: wanted.callId });
    try {
      const result = await runTool(
        {
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
          ask: (asked, withdrawn) => ask(run, tell, asked, withdrawn),
        },
        parts,
      );
      tell(resultEvent(result, monotonicMs(parts.clock) - startedAtMs));
    } catch (error) {
      tell({ type: 'failed', message: failureOf(error, signal) });
    } finally {
      clearTimeout(lifetime);
      running.delete(wanted.callId);
    }
  }

  function failureOf(error: unknown, { aborted, reason }: AbortSignal): string {
    if (aborted && reason === shutOut) return `${shutOut.message}.`;
    if (aborted && reason === stopped) return stoppedText('tool');
    if (aborted) return reason === unanswered ? 'The question was not answered in time.' : 'The call was canceled.';
    if (error instanceof ProtocolError) return error.message;
    parts.log.error({ err: error }, 'a tool could not be run from the web');
    return 'An unexpected error occurred';
  }

  return {
    start(wanted) {
      if (parts.isDraining()) throw new SoukError('unavailable');
      const { userId, tokenId } = wanted.caller;
      const own = [...running.values()].filter((run) => run.userId === userId).length;
      if (own >= shareOf(maxToolRuns, brokers)) {
        const message = `You can run ${maxToolRuns} tools at once. Wait until one has ended, or cancel it.`;
        throw new SoukError('too_many_runs', { message });
      }
      const run: Running = { userId, tokenId, abort: new AbortController(), questions: new Map() };
      running.set(wanted.callId, run);
      return { follow: (listener) => follow(wanted, run, listener), abort: () => run.abort.abort() };
    },

    async send(userId, callId, message) {
      const found =
        running.has(callId) || !elsewhere
          ? handle(userId, callId, message)
          : await elsewhere.pass(userId, callId, message);
      if (!found) throw new SoukError('not_found');
    },

    endForToken(tokenId) {
      for (const run of running.values()) if (run.tokenId === tokenId) run.abort.abort();
    },

    endForPerson(userId) {
      for (const run of running.values()) if (run.userId === userId) run.abort.abort(shutOut);
    },
  };
}

/** @throws ProtocolError for an address that could run code or open a file on the person's machine */
function questionOf(id: string, { params, rise }: RunAsk): RunQuestion {
  if (rise) {
    const { oldCredits, newCredits, raisedAtMs } = rise;
    return { mode: 'price', id, oldCredits, newCredits, raisedAt: new Date(raisedAtMs).toISOString() };
  }
  const message = String(params['message'] ?? '');
  if (params['mode'] !== 'url') {
    return { mode: 'form', id, message, schema: asRecord(params['requestedSchema']) ?? {} };
  }
  const { url } = params;
  if (!isWebPage(url)) throw new ProtocolError(-32_602, 'Only web pages can be opened');
  return { mode: 'page', id, message, url: String(url) };
}

const factNames = ['code', 'charged', 'required', 'available', 'topUpUrl', 'url'] as const satisfies (keyof RunFacts)[];

function resultEvent({ content, structuredContent, isError, _meta }: CallToolResult, durationMs: number): RunEvent {
  const facts = Object.fromEntries(
    factNames.flatMap((name) => {
      const fact = ownFact(_meta, name);
      return fact === undefined ? [] : [[name, fact]];
    }),
  );
  return {
    type: 'result',
    isError: isError === true,
    content: content ?? [],
    ...(structuredContent !== undefined && { structuredContent }),
    durationMs: Math.round(durationMs),
    facts,
  };
}
