import { setTimeout as pause } from 'node:timers/promises';
import { modernRequest } from '../people/modern-request.ts';

/** A response that a client has read to its end. */
export type Delivered = {
  callId: string;
  /** Whether it is the server's result without an error, for which a call is charged. */
  isResult: boolean;
  /** Credits in the response; undefined if it names none, like a refusal. */
  charged: number | undefined;
  /** Number of brokers killed before the request: each of them answers in its own life. */
  life: number;
  /** Time of arrival. */
  atMs: number;
};

export type PaidLoad = {
  readonly delivered: readonly Delivered[];
  /** The broker is about to be killed. @returns the time */
  recordKill(): number;
  /** Resolves once each client has its last answer. */
  stop(): Promise<void>;
  /** Resolves once all calls have been made. */
  readonly done: Promise<void>;
};

const clients = 50;

/**
 * Starts 50 clients that call a paid tool sequentially, and record every response. A client whose broker is down
 * retries.
 * @param calls total number of responses
 */
export function startPaidLoad({
  url,
  tokens,
  tool,
  endOf,
  calls = Infinity,
}: {
  url: string;
  tokens: readonly string[];
  tool: string;
  /** Returns how the server is to end the nth call. */
  endOf(n: number): string;
  calls?: number;
}): PaidLoad {
  const delivered: Delivered[] = [];
  const state = { isStopped: false, begun: 0, kills: 0 };

  async function runClient(client: number): Promise<void> {
    const token = tokens[client % tokens.length] ?? '';
    while (!state.isStopped && state.begun < calls) {
      const end = endOf(state.begun++);
      const life = state.kills;
      const answer = await callOnce(url, token, tool, end).catch(() => undefined);
      if (answer) delivered.push({ ...answer, life });
      else {
        state.begun--;
        // fifty clients that retry without a pause would take the core on which the broker starts
        await pause(200);
      }
    }
  }

  const done = Promise.all(Array.from({ length: clients }, (_, client) => runClient(client))).then(() => {});
  return {
    delivered,
    done,
    recordKill() {
      state.kills++;
      return performance.now();
    },
    async stop() {
      state.isStopped = true;
      await done;
    },
  };
}

async function callOnce(url: string, token: string, tool: string, end: string): Promise<Omit<Delivered, 'life'>> {
  const response = await fetch(url, modernRequest(token, 'tools/call', { name: tool, arguments: { end } }));
  const body: { result?: { isError?: boolean; _meta?: Record<string, unknown> } } = JSON.parse(await response.text());
  const atMs = performance.now();
  const callId = response.headers.get('x-request-id');
  if (callId === null || response.status !== 200) throw new Error(`HTTP ${response.status}`);
  const charged = body.result?._meta?.['souk/charged'];
  const isResult = body.result !== undefined && body.result.isError !== true;
  return { callId, isResult, charged: typeof charged === 'number' ? charged : undefined, atMs };
}
