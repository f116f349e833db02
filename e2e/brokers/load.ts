import { setTimeout as pause } from 'node:timers/promises';
import { modernRequest } from '../../apps/broker/src/testing/people/modern-request.ts';
import { openSession, type SessionHeaders } from '../../apps/broker/src/testing/people/open-session.ts';

/** Returns the milliseconds since a fixed moment, to find the calls that ended close to a fault. */
export const loadClockMs = (): number => performance.now();

/** Facts that a client knows about one of its calls. */
export type Call = {
  n: number;
  tool: 'free' | 'paid';
  /**
   * `answered`: with the server's result. `told`: Souk responded that the call was not run, or how it ended. `cut`: the
   * connection broke, or nginx responded instead of a broker, so that the client does not know the result.
   */
  outcome: 'answered' | 'told' | 'cut';
  /** Reason why there is no result. Empty for answered calls. */
  reason: string;
  callId: string | undefined;
  /** Time on `loadClockMs`. */
  endedMs: number;
  /** Milliseconds until the response, minus the time that the server took on purpose. */
  waitedMs: number;
};

/** End of a stream that a client keeps open. `broken` also when it could not be opened. */
export type StreamEnd = { how: 'in order' | 'broken'; endedMs: number };

export type Load = {
  readonly calls: readonly Call[];
  readonly streamEnds: readonly StreamEnd[];
  stop(): Promise<void>;
};

/** Duration of each ninth call, which is still running when its broker stops. The others are short. */
const longMs = 1_500;
const shortMs = 60;
/** Pause between two calls of a client, so that the load alone does not keep the machine busy. */
const usualPauseMs = 25;
const patienceMs = 60_000;

/**
 * Starts clients that sequentially call free and paid tools: clients of 2026-07-28, and clients of 2025-11-25 in
 * sessions. Two more clients hold one stream each.
 */
export function startLoad(
  link: string,
  tokens: readonly string[],
  clientsPerToken: number,
  pauseMs = usualPauseMs,
): Load {
  const calls: Call[] = [];
  const streamEnds: StreamEnd[] = [];
  const over = new AbortController();
  let numbers = 0;

  async function call(send: Send): Promise<void> {
    const n = (numbers += 1);
    const tool = n % 2 === 0 ? 'free' : 'paid';
    const forMs = n % 9 === 0 ? longMs : Math.random() * shortMs;
    const begunMs = loadClockMs();
    const seen = await send({ name: `counting__${tool}`, arguments: { n, forMs: Math.round(forMs) } }).catch(
      (error: unknown) => ({ ...unknown, outcome: 'cut' as const, reason: reasonOf(error) }),
    );
    const endedMs = loadClockMs();
    calls.push({ n, tool, ...seen, endedMs, waitedMs: endedMs - begunMs - forMs });
  }

  async function client(send: Send): Promise<void> {
    while (!over.signal.aborted) {
      await call(send);
      await pause(pauseMs);
    }
  }

  async function inSession(token: string): Promise<void> {
    const session = await openSession(link, token);
    await client((params) => post(link, sessionRequest(session, params)));
  }

  async function holdStream(open: () => Promise<Response>): Promise<void> {
    while (!over.signal.aborted) {
      const how = await readToEnd(open);
      if (!over.signal.aborted) streamEnds.push({ how, endedMs: loadClockMs() });
      await pause(pauseMs);
    }
  }

  const { signal } = over;
  const [first = ''] = tokens;
  const listen = { notifications: { toolsListChanged: true } };
  const running = Promise.all([
    ...tokens.flatMap((token) =>
      Array.from({ length: clientsPerToken }, () =>
        client((params) => post(link, modernRequest(token, 'tools/call', params))),
      ),
    ),
    ...tokens.map(inSession),
    holdStream(() => fetch(link, { ...modernRequest(first, 'subscriptions/listen', listen), signal })),
    openSession(link, first).then((session) =>
      holdStream(() => fetch(link, { headers: { ...session, accept: 'text/event-stream' }, signal })),
    ),
  ]);
  running.catch(() => {});
  return {
    calls,
    streamEnds,
    async stop() {
      over.abort();
      await running;
    },
  };
}

type Params = { name: string; arguments: Record<string, unknown> };
type Seen = Pick<Call, 'outcome' | 'reason' | 'callId'>;
type Send = (params: Params) => Promise<Seen>;
type Sent = { method: string; headers: Record<string, string>; body: string };

const unknown = { reason: '', callId: undefined };

function sessionRequest(session: SessionHeaders, params: Params): Sent {
  const accept = 'application/json, text/event-stream';
  return {
    method: 'POST',
    headers: { ...session, 'content-type': 'application/json', accept },
    body: JSON.stringify({ jsonrpc: '2.0', id: params.arguments['n'], method: 'tools/call', params }),
  };
}

async function post(link: string, sent: Sent): Promise<Seen> {
  const response = await fetch(link, { ...sent, signal: AbortSignal.timeout(patienceMs) });
  const text = await response.text();
  const callId = response.headers.get('x-request-id') ?? undefined;
  const body = messageIn(text);
  if (!body) return { outcome: 'cut', reason: `HTTP ${response.status}`, callId };
  const { result, error } = body;
  if (result && result.isError !== true) return { outcome: 'answered', reason: '', callId };
  const code = result ? result._meta?.['souk/code'] : error?.data?.code;
  return { outcome: 'told', reason: String(code ?? error?.message ?? response.status), callId };
}

type Body = {
  result?: { isError?: boolean; _meta?: Record<string, unknown> };
  error?: { message?: string; data?: { code?: string } };
};

/** Returns the last message of a response, which may be a stream. Undefined if the response is not Souk's. */
function messageIn(text: string): Body | undefined {
  const lines = text.startsWith('{') ? [text] : text.split('\n').filter((line) => line.startsWith('data: {'));
  const last = lines.at(-1)?.replace(/^data: /, '');
  return last === undefined ? undefined : JSON.parse(last);
}

async function readToEnd(open: () => Promise<Response>): Promise<StreamEnd['how']> {
  try {
    const response = await open();
    await response.text();
    return response.status === 200 ? 'in order' : 'broken';
  } catch {
    return 'broken';
  }
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const { cause } = error;
  return cause instanceof Error && 'code' in cause ? String(cause.code) : error.message;
}
