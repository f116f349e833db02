import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ProtocolError,
  type Client,
  type ClientCapabilities,
  type JSONRPCMessage,
  type LoggingMessageNotification,
  type Progress,
  type Transport,
} from '@modelcontextprotocol/client';
import { isWebPage } from '#platform/http/is-web-page.ts';
import { CallNotices } from '../notices/call-notices.ts';
import type { ServerNotices } from '../notices/notice-limits.ts';
import type { CallDeadline } from './call-deadline.ts';
import type { Ask, Asking } from '../upstream.ts';
import type { OpenOptions } from './open-options.ts';

export type RunningCalls = ReturnType<typeof listenToServer>;

type AskableCall = Asking & { readonly clientCapabilities?: ClientCapabilities | undefined };
type Deadline = Pick<CallDeadline, 'pause' | 'heard'>;

/** Questions of one call: each pauses its deadline and reaches a user. */
const maxQuestions = 32;

/** A running call. A class, because each call has one and closures would cost more. */
export class RunningCall {
  call: AskableCall;
  deadline: Deadline;
  isOpen = true;
  questions = 0;
  readonly #connection: Connection;
  #notices: CallNotices | undefined;

  constructor(call: AskableCall, deadline: Deadline, connection: Connection) {
    this.call = call;
    this.deadline = deadline;
    this.#connection = connection;
    connection.open?.add(this);
  }

  /** Passes a message from the call's stream, other than its answer, to the SDK's client. */
  receive(message: Record<string, unknown>): void {
    const { current, transport } = this.#connection;
    // why the cast: the SDK checks the message itself and rejects an invalid one
    current.run(this, () => transport.onmessage?.(message as JSONRPCMessage));
  }

  /** Progress extends the deadline while the client listens. */
  progress(progress: Progress): void {
    if (this.isOpen && this.#callNotices().progress(progress)) this.deadline.heard();
  }

  log(message: LoggingMessageNotification['params']): void {
    if (this.isOpen) this.#callNotices().log(message);
  }

  #callNotices(): CallNotices {
    return (this.#notices ??= new CallNotices(this.#connection.notices, this.call));
  }

  leave(): void {
    this.isOpen = false;
    this.#notices?.end();
    this.#notices = undefined;
    this.#connection.open?.delete(this);
    // The set's old hash tables keep references to deleted members until the next full collection. Clearing the
    // references here frees a call's objects earlier: 150 MB under load.
    this.call = endedCall;
    this.deadline = endedDeadline;
  }
}

const endedCall: AskableCall = {};
const endedDeadline: Deadline = { pause: () => () => {}, heard() {} };

type Connection = {
  /** The running calls, latest last; undefined unless the upstream connection belongs to one user. */
  open: Set<RunningCall> | undefined;
  /** The call on whose stream the current message came. */
  current: AsyncLocalStorage<RunningCall>;
  notices: ServerNotices;
  transport: Pick<Transport, 'onmessage'>;
};

const invalidRequest = -32_600;
const methodNotFound = -32_601;
const invalidParams = -32_602;
const noCallRunning = 'The client cannot be asked: none of its calls is running';
const severalClients = 'The client cannot be asked: calls of several clients are running';

/**
 * Passes the server's questions and log messages to one call, never to another user's. Over HTTP
 * they arrive on the call's own stream, which identifies it. On other transports they go to the latest call, provided
 * the upstream connection belongs to one user and all running calls are from one client. Otherwise questions are refused
 * and log messages dropped: a guess would ask one client about another client's work.
 */
export function listenToServer(
  client: Client,
  transport: Pick<Transport, 'onmessage'>,
  { clientCapabilities, ofOnePerson, notices }: Pick<OpenOptions, 'clientCapabilities' | 'ofOnePerson' | 'notices'>,
) {
  const current = new AsyncLocalStorage<RunningCall>();
  const open = ofOnePerson ? new Set<RunningCall>() : undefined;
  const connection: Connection = { open, current, notices, transport };
  const responsible = (): RunningCall | undefined => {
    const known = current.getStore();
    if (known) return known.isOpen ? known : undefined;
    const [first, ...others] = open ?? [];
    const ofOneClient = others.every(({ call }) => call.client === first?.call.client);
    return ofOneClient ? (others.at(-1) ?? first) : undefined;
  };

  async function ask(question: Ask, signal: AbortSignal): Promise<Record<string, unknown>> {
    const running = responsible();
    if (!running) throw new ProtocolError(invalidRequest, open?.size === 0 ? noCallRunning : severalClients);
    if (++running.questions > maxQuestions) {
      throw new ProtocolError(invalidRequest, `A call may ask at most ${maxQuestions} questions`);
    }
    const { call } = running;
    const able = call.clientCapabilities;
    // the capabilities of the handshake may be those of another client of this user
    if (!call.onAsk || (able && !askableWith(able).includes(question.method))) {
      throw new ProtocolError(methodNotFound, `The client of this call does not offer ${question.method}`);
    }
    const { mode, url } = question.params;
    if (mode === 'url' && !isWebPage(url)) throw new ProtocolError(invalidParams, 'Only web pages can be opened');
    const resume = running.deadline.pause();
    try {
      return await call.onAsk(question, signal);
    } finally {
      resume();
    }
  }

  for (const method of askableWith(clientCapabilities)) {
    client.setRequestHandler(method, async (request, context) => {
      // why the cast: the answer comes from the client, and the SDK has checked it against the same schema
      return (await ask({ method, params: { ...request.params } }, context.mcpReq.signal)) as never;
    });
  }
  client.setNotificationHandler('notifications/message', ({ params }) => responsible()?.log(params));

  return {
    async within<T>(call: AskableCall, deadline: Deadline, send: (running: RunningCall) => Promise<T>): Promise<T> {
      const running = new RunningCall(call, deadline, connection);
      try {
        return await current.run(running, send, running);
      } finally {
        running.leave();
      }
    },
    /** Enters a fast-path call, whose stream the SDK does not read. */
    enter: (call: AskableCall, deadline: Deadline) => new RunningCall(call, deadline, connection),
  };
}

function askableWith(capabilities: ClientCapabilities | undefined): Ask['method'][] {
  return [
    ...(capabilities?.elicitation ? ['elicitation/create' as const] : []),
    ...(capabilities?.sampling ? ['sampling/createMessage' as const] : []),
    ...(capabilities?.roots ? ['roots/list' as const] : []),
  ];
}
