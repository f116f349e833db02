import { setTimeout as pause } from 'node:timers/promises';
import { modernRequest } from '../people/modern-request.ts';

/** An answer that a client has read to its end. */
export type Delivered = {
  callId: string;
  /** It is the server's result, without an error: what a call is charged for. */
  isResult: boolean;
  /** Credits, as the answer says; undefined where it says nothing, as a refusal does. */
  charged: number | undefined;
  /** How many brokers had been killed when it was asked for: each answers in its own life. */
  life: number;
  /** When it was there. */
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
 * 50 clients that call a paid tool one call after the other, and note every answer that they get. A client whose broker is
 * away tries again.
 * @param calls how many answers in all
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
  /** How the server is to end the nth call. */
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
        // fifty that try again and again would take the core on which the broker starts
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
