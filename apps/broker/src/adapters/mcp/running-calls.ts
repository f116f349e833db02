import { AsyncLocalStorage } from 'node:async_hooks';
import {
  ProtocolError,
  type Client,
  type ClientCapabilities,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client';
import { isWebPage } from '#platform/http/is-web-page.ts';
import type { CallDeadline } from './call-deadline.ts';
import type { Ask, Asking, OpenOptions } from './types.ts';

/** Brings what a server sends in the middle of a call to the call that it belongs to. */
export type RunningCalls = {
  within<T>(call: Asked, deadline: Pick<CallDeadline, 'pause'>, send: () => Promise<T>): Promise<T>;
  /** The same for a call beside the SDK, whose stream is read elsewhere. */
  enter(call: Asked, deadline: Pick<CallDeadline, 'pause'>): EnteredCall;
};

/** A call under way, and whom the server may ask and tell in the middle of it. */
type Asked = Asking & { readonly clientCapabilities?: ClientCapabilities | undefined };
type Running = { readonly call: Asked; readonly deadline: Pick<CallDeadline, 'pause'>; isOpen: boolean };

/** A call under way beside the SDK. A class, since there is one for each call: no closure is made for it. */
export class EnteredCall implements Running {
  call: Asked;
  deadline: Pick<CallDeadline, 'pause'>;
  isOpen = true;
  readonly #connection: Connection;

  constructor(call: Asked, deadline: Pick<CallDeadline, 'pause'>, connection: Connection) {
    this.call = call;
    this.deadline = deadline;
    this.#connection = connection;
    connection.open?.add(this);
  }

  /** A message on the call's own stream that is not its answer: the SDK's client does what is to be done. */
  receive(message: Record<string, unknown>): void {
    const { current, transport } = this.#connection;
    // why the cast: the SDK looks for itself what a message is, and answers what is none
    current.run(this, () => transport.onmessage?.(message as JSONRPCMessage));
  }

  leave(): void {
    this.isOpen = false;
    this.#connection.open?.delete(this);
    // A set that outlives its members leaves tables behind that still name them: all that hangs on a call would wait with
    // them for the next full collection, 150 MB of it under load.
    this.call = nobody;
    this.deadline = ended;
  }
}

const nobody: Asked = {};
const ended: Pick<CallDeadline, 'pause'> = { pause: () => () => {} };

type Connection = {
  /** Calls under way, the latest last, of a connection that is one person's: elsewhere nobody asks for them. */
  open: Set<Running> | undefined;
  /** The call on whose stream something came. */
  current: AsyncLocalStorage<Running>;
  transport: Pick<Transport, 'onmessage'>;
};

const notNow = -32_600;
const notOffered = -32_601;
const invalidParams = -32_602;
const noCall = 'Nobody can be asked: no call of theirs is under way';
const ambiguous = 'Nobody can be asked: calls of several clients are under way';

/**
 * Answers the server's questions and passes on its log messages, each to one call and never to another person's
 * (gateway.md, trap 6). Over HTTP they come on the call's own stream, which says whose they are; elsewhere only a
 * connection that is one person's alone can tell: there they go to the latest call, unless calls of several of their
 * clients are under way. Then they are for nobody: a guess would ask about one client's work in another.
 */
export function listenToServer(
  client: Client,
  transport: Pick<Transport, 'onmessage'>,
  { clientCapabilities, ofOnePerson }: Pick<OpenOptions, 'clientCapabilities' | 'ofOnePerson'>,
): RunningCalls {
  const current = new AsyncLocalStorage<Running>();
  const open = ofOnePerson ? new Set<Running>() : undefined;
  const connection: Connection = { open, current, transport };
  const responsible = (): Running | undefined => {
    const known = current.getStore();
    if (known) return known.isOpen ? known : undefined;
    const [first, ...others] = open ?? [];
    const ofOneClient = others.every(({ call }) => call.client === first?.call.client);
    return ofOneClient ? (others.at(-1) ?? first) : undefined;
  };

  async function ask(question: Ask, signal: AbortSignal): Promise<Record<string, unknown>> {
    const running = responsible();
    if (!running) throw new ProtocolError(notNow, open?.size === 0 ? noCall : ambiguous);
    const { call } = running;
    const able = call.clientCapabilities;
    // what was said at the handshake may have been true of another client of this person
    if (!call.onAsk || (able && !askableWith(able).includes(question.method))) {
      throw new ProtocolError(notOffered, `The client of this call does not offer ${question.method}`);
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
      // why the cast: the answer is the client's own, which its SDK has checked against the same schema
      return (await ask({ method, params: { ...request.params } }, context.mcpReq.signal)) as never;
    });
  }
  client.setNotificationHandler('notifications/message', ({ params }) => responsible()?.call.onLog?.(params));

  return {
    async within(call, deadline, send) {
      const running = { call, deadline, isOpen: true };
      open?.add(running);
      try {
        return await current.run(running, send);
      } finally {
        running.isOpen = false;
        open?.delete(running);
      }
    },
    enter: (call, deadline) => new EnteredCall(call, deadline, connection),
  };
}

/** What a server may ask a client with these capabilities. */
export function askableWith(capabilities: ClientCapabilities | undefined): Ask['method'][] {
  return [
    ...(capabilities?.elicitation ? ['elicitation/create' as const] : []),
    ...(capabilities?.sampling ? ['sampling/createMessage' as const] : []),
    ...(capabilities?.roots ? ['roots/list' as const] : []),
  ];
}
