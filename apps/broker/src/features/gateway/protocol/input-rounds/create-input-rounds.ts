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
import type { LogicalCall } from '../../call/call.ts';
import type { CallRequest } from '../../call/call-request.ts';
import type { OpenQuestions } from '../../call/open-questions.ts';
import type { PageQuestions } from '../../call/page-questions.ts';
import type { InFlight } from '../../door/in-flight.ts';
import { LostCallError } from './elsewhere/lost-call.ts';
import type { RoundsElsewhere } from './elsewhere/rounds-elsewhere.ts';
import type { HeldCall } from './elsewhere/taken-rounds.ts';
import { startParkedCall, type ParkedCall, type RoundSide } from './parked-call.ts';
import { createParkedCalls } from './parked-calls.ts';
import { createRequestStates, unusableState, type BoundCall, type RoundState } from './request-state.ts';

/** Rounds that are remembered as begun; a state is good for 600 s. */
const maxBegun = 10_000;

/** The params that the rounds of a call use. */
export type RoundParams = {
  name?: string;
  uri?: string;
  arguments?: unknown;
  inputResponses?: Record<string, unknown>;
  requestState?: string;
};

/**
 * Runs calls during which a server needs input from the client, for every pairing of eras except legacy with legacy,
 * where the question is simply forwarded.
 */
export type InputRounds = {
  /**
   * Runs one request of a client. `call` sends the request that the server gets, which has the server's own requestState
   * and a handler for its questions.
   * @throws ProtocolError -32602 for a requestState that was altered, or is another user's or call's, and for prompts and
   *   resources a LostCallError for one whose question is over
   */
  run<P extends RoundParams, Answer extends object>(
    request: CallRequest<P>,
    sdk: ServerContext,
    call: (request: CallRequest<P>) => Promise<Answer | InputRequiredResult>,
  ): Promise<Answer | InputRequiredResult>;
  stop(): Promise<void>;
};

export function createInputRounds({
  key,
  clock,
  underWay,
  questions,
  pages,
  elsewhere,
}: {
  key: Uint8Array;
  clock: Clock;
  /** Counts parked calls among those that a stop waits for: until it has ended them. */
  underWay: Pick<InFlight, 'enter'>;
  questions: OpenQuestions;
  /** Is told of each round, with which a client has answered. */
  pages: Pick<PageQuestions, 'answered'>;
  /** Reaches the calls that wait in other processes; undefined where there can be no other. */
  elsewhere: RoundsElsewhere | undefined;
}): InputRounds {
  const states = createRequestStates(key, clock);
  const parked = createParkedCalls({ underWay, questions });
  /** Names this process in a requestState: what waited in one before has ended. */
  const broker = elsewhere?.broker ?? randomUUID();

  /** Only in this process too: a state that is sent again to another replica writes the row of its call again. */
  const begun = new Set<string>();

  /** The call that a state continues. Sent again, it is still the same call, but leaves a usage row of its own. */
  function continued({ callId: id, credits, answers = 0, left, priceAsked }: RoundState): LogicalCall {
    const round = `${id} ${answers}`;
    const isFirst = !begun.has(round);
    begun.add(round);
    const [oldest] = begun.size > maxBegun ? begun : [];
    if (oldest !== undefined) begun.delete(oldest);
    return { id, credits, answers: answers + 1, left: isFirst ? left : undefined, priceAsked };
  }

  /** Returns the questions and a requestState to the client while the call continues to run. */
  async function pause(
    call: ParkedCall<object>,
    inputRequests: InputRequests,
    bound: BoundCall,
    client: AbortSignal,
  ): Promise<object> {
    // a client that has just hung up will not continue the call
    if (client.aborted || !parked.hasRoom(bound.userId)) {
      call.end();
      const why = client.aborted ? 'The client has gone' : 'Too many calls are already waiting for an answer';
      throw new ProtocolError(-32603, why);
    }
    const id = parked.park(call, bound);
    // the end of a call that was stopped says so in words
    if (id === undefined) return call.running;
    const requestState = await states.seal({ ...carried(call.logical), parked: id, broker }, bound);
    return inputRequired({ inputRequests, requestState });
  }

  /** Takes a parked call out for its next round: each state is used once. */
  function takeOut(id: string): HeldCall | undefined {
    const waiting = parked.takeOut(id);
    if (!waiting) return undefined;
    const { call, bound } = waiting;
    return {
      userId: call.userId,
      end: call.end,
      async goOn(side: RoundSide, answers) {
        countAnswer(call.logical);
        const round = await call.round(side, answers);
        return 'answer' in round ? round.answer : pause(call, round.questions, bound, side.signal);
      },
    };
  }
  elsewhere?.serve({ takeOut, isOver: parked.isOver });

  async function resume(
    { parked: id, broker: where }: Extract<RoundState, { parked: string }>,
    request: CallRequest<RoundParams>,
  ): Promise<object> {
    const held = takeOut(id);
    if (held) return held.goOn(request, request.params.inputResponses ?? {});
    if (where === broker && !parked.isOver(id)) throw unusableState();
    if (where === broker || where === undefined || !elsewhere) throw new LostCallError('over');
    return elsewhere.run({ broker: where, parked: id }, request);
  }

  /** Runs a round; for a tool, says in a result what became of a call that is lost. */
  async function orLost<Answer>({ method }: BoundCall, round: () => Promise<Answer>): Promise<Answer> {
    try {
      return await round();
    } catch (error) {
      // why the cast: this method's Answer is a CallToolResult
      if (error instanceof LostCallError && method === 'tools/call') return error.toResult() as Answer;
      throw error;
    }
  }

  return {
    async run<P extends RoundParams, Answer extends object>(
      request: CallRequest<P>,
      sdk: ServerContext,
      call: (request: CallRequest<P>) => Promise<Answer | InputRequiredResult>,
    ): Promise<Answer | InputRequiredResult> {
      const bound = bindingOf(request, sdk);
      return orLost(bound, () => runRound(request, bound, sdk, call));
    },
    async stop() {
      await elsewhere?.stop();
      parked.endAll();
    },
  };

  async function runRound<P extends RoundParams, Answer extends object>(
    request: CallRequest<P>,
    bound: BoundCall,
    sdk: ServerContext,
    call: (request: CallRequest<P>) => Promise<Answer | InputRequiredResult>,
  ): Promise<Answer | InputRequiredResult> {
    const { requestState, ...params } = request.params;
    const state = requestState === undefined ? undefined : await states.open(requestState, bound, sdk);
    if (state) pages.answered(request);
    // why the cast: a state is bound to its call, and that call returns an Answer of the same method
    if (state && 'parked' in state) return (await resume(state, request)) as Answer;

    // why the cast: only the requestState, which is optional everywhere, was replaced
    const own = { ...params, ...(state?.server !== undefined && { requestState: state.server }) } as P;
    const logical = state ? continued(state) : request.logical;
    const sealing = async (inner: CallRequest<P>) => {
      const answer = await call(inner);
      if (!isInputRequiredResult(answer)) return answer;
      const server = answer.requestState;
      return {
        ...answer,
        requestState: await states.seal({ ...carried(logical), ...(server !== undefined && { server }) }, bound),
      };
    };
    const asServerSees = { ...request, logical, params: own, onAsk: counted(request.onAsk, logical) };
    // a legacy client is asked on its session's stream; a client without capabilities is not asked
    if (!canBeAsked(request.clientCapabilities)) return sealing(asServerSees);
    const running = startParkedCall(asServerSees, (side) => sealing({ ...asServerSees, ...side }));
    const round = await running.round(request, {});
    // why the cast: what has been stopped ends with an Answer as well
    return 'answer' in round
      ? round.answer
      : ((await pause(running, round.questions, bound, request.signal)) as Answer);
  }
}

/** What of a call travels in the requestState. */
function carried({ id, credits, answers, left, priceAsked }: LogicalCall): Omit<RoundState, 'server' | 'parked'> {
  return {
    callId: id,
    ...(credits !== undefined && { credits }),
    ...(answers !== undefined && { answers }),
    ...(left && { left }),
    ...(priceAsked && { priceAsked }),
  };
}

function countAnswer(logical: LogicalCall): void {
  logical.answers = (logical.answers ?? 0) + 1;
}

/** Asks on the stream of the call, where no request of the client marks the next round. */
function counted(onAsk: CallRequest<unknown>['onAsk'], logical: LogicalCall): CallRequest<unknown>['onAsk'] {
  if (!onAsk) return undefined;
  return async (ask, signal) => {
    const answer = await onAsk(ask, signal);
    countAnswer(logical);
    return answer;
  };
}

function canBeAsked(capabilities: ClientCapabilities | undefined): boolean {
  return capabilities !== undefined && ['elicitation', 'sampling', 'roots'].some((name) => name in capabilities);
}

function bindingOf({ context, params }: CallRequest<RoundParams>, { mcpReq }: ServerContext): BoundCall {
  return {
    userId: context.caller.userId,
    link: context.serverId ?? '',
    method: mcpReq.method,
    name: params.name ?? params.uri ?? '',
    arguments: params.arguments,
  };
}
