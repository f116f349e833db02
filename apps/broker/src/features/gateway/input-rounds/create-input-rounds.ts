import {
  inputRequired,
  isInputRequiredResult,
  ProtocolError,
  type ClientCapabilities,
  type InputRequests,
  type InputRequiredResult,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import type { Clock } from '#platform/clock.ts';
import type { CallRequest } from '../call-request.ts';
import { startParkedCall, type ParkedCall } from './parked-call.ts';
import { createRequestStates, roundTtlMs, unusableState, type BoundCall } from './request-state.ts';

const maxParked = 1000;
/** Each holds a place of the person's: half of those stay for calls that nobody has left waiting. */
const maxParkedPerUser = 8;

/** What takes part in a call of several rounds. */
export type RoundParams = {
  name?: string;
  uri?: string;
  arguments?: unknown;
  inputResponses?: Record<string, unknown>;
  requestState?: string;
};

/**
 * Calls in the middle of which a server needs something of the person's client, for every pairing of eras but the one
 * of two old ends, where the question simply goes through.
 */
export type InputRounds = {
  /**
   * Runs one request of a client. `call` does the work for a request as the server is to see it: with the server's own
   * requestState, and with somebody who takes its questions.
   * @throws ProtocolError -32602 for a requestState that was altered, is somebody else's, of another call, or too old
   */
  run<P extends RoundParams, Answer extends object>(
    request: CallRequest<P>,
    context: ServerContext,
    call: (request: CallRequest<P>) => Promise<Answer | InputRequiredResult>,
  ): Promise<Answer | InputRequiredResult>;
  stop(): void;
};

export function createInputRounds({ key, clock }: { key: Uint8Array; clock: Clock }): InputRounds {
  const states = createRequestStates(key, clock);
  /** In this process alone: a client that comes back to another replica begins anew. */
  const parked = new Map<string, { call: ParkedCall<object>; expiry: NodeJS.Timeout }>();

  function forget(id: string): void {
    clearTimeout(parked.get(id)?.expiry);
    parked.delete(id);
  }

  function park(call: ParkedCall<object>): string {
    const id = randomUUID();
    const expiry = setTimeout(() => {
      parked.delete(id);
      call.end();
    }, roundTtlMs).unref();
    parked.set(id, { call, expiry });
    return id;
  }

  function hasRoom(userId: string): boolean {
    const own = [...parked.values()].filter(({ call }) => call.userId === userId).length;
    return parked.size < maxParked && own < maxParkedPerUser;
  }

  /** The call runs on; its client gets the questions and what it needs to come back. */
  async function pause(
    call: ParkedCall<object>,
    questions: InputRequests,
    bound: BoundCall,
    client: AbortSignal,
  ): Promise<InputRequiredResult> {
    // whoever hung up in this very moment will not come back for it
    if (client.aborted) call.end();
    if (!hasRoom(bound.userId)) {
      call.end();
      throw new ProtocolError(-32603, 'Too many calls wait for an answer already');
    }
    const requestState = await states.seal({ parked: park(call) }, bound);
    return inputRequired({ inputRequests: questions, requestState });
  }

  async function resume(id: string, bound: BoundCall, request: CallRequest<RoundParams>): Promise<object> {
    const waiting = parked.get(id);
    if (!waiting) throw unusableState();
    forget(id);
    const round = await waiting.call.round(request, request.params.inputResponses ?? {});
    return 'answer' in round ? round.answer : pause(waiting.call, round.questions, bound, request.signal);
  }

  return {
    async run<P extends RoundParams, Answer extends object>(
      request: CallRequest<P>,
      context: ServerContext,
      call: (request: CallRequest<P>) => Promise<Answer | InputRequiredResult>,
    ): Promise<Answer | InputRequiredResult> {
      const bound = bindingOf(request, context);
      const { requestState, ...params } = request.params;
      const state = requestState === undefined ? undefined : await states.open(requestState, bound, context);
      // why the cast: a state names the call that it was made for, and that gave an Answer of the same method
      if (state && 'parked' in state) return (await resume(state.parked, bound, request)) as Answer;

      // why the cast: only the requestState, which is optional everywhere, was replaced
      const own = { ...params, ...(state && { requestState: state.server }) } as P;
      const sealing = async (inner: CallRequest<P>) => {
        const answer = await call(inner);
        if (!isInputRequiredResult(answer) || answer.requestState === undefined) return answer;
        return { ...answer, requestState: await states.seal({ server: answer.requestState }, bound) };
      };
      const asServerSees = { ...request, params: own };
      // an old client is asked on its session's stream, and one that says it has nothing to give is not asked
      if (!canBeAsked(request.clientCapabilities)) return sealing(asServerSees);
      const running = startParkedCall(request, (side) => sealing({ ...asServerSees, ...side }));
      const round = await running.round(request, {});
      return 'answer' in round ? round.answer : pause(running, round.questions, bound, request.signal);
    },
    stop() {
      for (const [id, { call }] of parked) {
        forget(id);
        call.end();
      }
    },
  };
}

function canBeAsked(capabilities: ClientCapabilities | undefined): boolean {
  return capabilities !== undefined && ['elicitation', 'sampling', 'roots'].some((name) => name in capabilities);
}

function bindingOf({ person, params }: CallRequest<RoundParams>, { mcpReq }: ServerContext): BoundCall {
  return {
    userId: person.caller.userId,
    link: person.serverId ?? '',
    method: mcpReq.method,
    name: params.name ?? params.uri ?? '',
    arguments: params.arguments,
  };
}
