import { AsyncLocalStorage } from 'node:async_hooks';
import { ProtocolError, type Client, type ClientCapabilities } from '@modelcontextprotocol/client';
import type { CallDeadline } from './call-deadline.ts';
import type { Ask, CallOptions, OpenOptions } from './types.ts';

/** Brings what a server sends in the middle of a call to the call that it belongs to. */
export type RunningCalls = {
  within<T>(call: CallOptions, deadline: CallDeadline, send: () => Promise<T>): Promise<T>;
};

type Running = { call: CallOptions; deadline: CallDeadline };

const notNow = -32_600;
const notOffered = -32_601;
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
  { clientCapabilities, ofOnePerson }: Pick<OpenOptions, 'clientCapabilities' | 'ofOnePerson'>,
): RunningCalls {
  const current = new AsyncLocalStorage<Running>();
  const open = new Set<Running>();
  const responsible = (): Running | undefined => {
    const known = current.getStore();
    if (known) return open.has(known) ? known : undefined;
    if (!ofOnePerson) return undefined;
    const [first, ...others] = open;
    const ofOneClient = others.every(({ call }) => call.client === first?.call.client);
    return ofOneClient ? (others.at(-1) ?? first) : undefined;
  };

  async function ask(question: Ask, signal: AbortSignal): Promise<Record<string, unknown>> {
    const running = responsible();
    if (!running) throw new ProtocolError(notNow, open.size > 0 ? ambiguous : noCall);
    const { onAsk, clientCapabilities: able } = running.call;
    // what was said at the handshake may have been true of another client of this person
    if (!onAsk || (able && !askableWith(able).includes(question.method))) {
      throw new ProtocolError(notOffered, `The client of this call does not offer ${question.method}`);
    }
    const resume = running.deadline.pause();
    try {
      return await onAsk(question, signal);
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
      const running = { call, deadline };
      open.add(running);
      try {
        return await current.run(running, send);
      } finally {
        open.delete(running);
      }
    },
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
