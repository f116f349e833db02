import { isInputRequiredResult, type InputRequiredResult, type ServerContext } from '@modelcontextprotocol/server';
import { randomUUID } from 'node:crypto';
import type { Clock } from '#platform/clock.ts';
import type { LogicalCall } from '../../call/call.ts';
import type { CallRequest } from '../../call/call-request.ts';
import type { OpenQuestions } from '../../call/open-questions.ts';
import type { PageQuestions } from '../../call/page-questions.ts';
import type { InFlight } from '../../door/in-flight.ts';
import { canBeAsked } from '../usable-capabilities.ts';
import { LostCallError } from './elsewhere/lost-call.ts';
import type { RoundsElsewhere } from './elsewhere/rounds-elsewhere.ts';
import { countAnswer, startParkedCall } from './parked-call.ts';
import { createParkedCalls } from './parked-calls.ts';
import { createRequestStates, unusableState, type BoundCall, type RoundState } from './request-state.ts';

/** Rounds that are remembered as begun. A state is valid for 600 s. */
const maxBegun = 10_000;

type RoundParams = {
  name?: string;
  uri?: string;
  arguments?: unknown;
  inputResponses?: Record<string, unknown>;
  requestState?: string;
};

export type InputRounds = ReturnType<typeof createInputRounds>;

/**
 * Runs calls during which a server needs input from the client, for every pairing of eras except legacy with legacy,
 * where the question is simply forwarded.
 */
export function createInputRounds(parts: {
  key: Uint8Array;
  clock: Clock;
  /** Counts parked calls among what a stop waits for. */
  underWay: Pick<InFlight, 'enter'>;
  questions: OpenQuestions;
  /** `answered` is called for each round in which a client sent answers. */
  pages: Pick<PageQuestions, 'answered'>;
  /** Reaches the calls that wait in other processes; undefined if there can be none. */
  elsewhere: RoundsElsewhere | undefined;
}) {
  const { pages, elsewhere } = parts;
  const states = createRequestStates(parts.key, parts.clock);
  /** The id of this process in a requestState. Without `elsewhere`, another id means a process that has ended. */
  const broker = elsewhere?.broker ?? randomUUID();
  const parked = createParkedCalls({
    ...parts,
    seal: ({ logical }, id, bound) => states.seal({ ...carried(logical), parked: id, broker }, bound),
  });
  elsewhere?.serve(parked);

  /** The rounds begun in this process. Another replica does not know them: there, a repeated state rewrites its call's row. */
  const begun = new Set<string>();

  /** The call that a state continues. A repeated state is still the same call, but leaves its own usage row. */
  function continued({ callId: id, credits, answers = 0, left, priceAsked }: RoundState): LogicalCall {
    const round = `${id} ${answers}`;
    const isFirst = !begun.has(round);
    begun.add(round);
    const [oldest] = begun.size > maxBegun ? begun : [];
    if (oldest !== undefined) begun.delete(oldest);
    return { id, credits, answers: answers + 1, left: isFirst ? left : undefined, priceAsked };
  }

  async function resume(
    { parked: id, broker: where }: Extract<RoundState, { parked: string }>,
    request: CallRequest<RoundParams>,
  ): Promise<object> {
    const call = parked.takeOut(id);
    if (call) return call.goOn(request, request.params.inputResponses ?? {});
    if (where === broker && !parked.isOver(id)) throw unusableState();
    if (where === broker || where === undefined || !elsewhere) throw new LostCallError('over');
    return elsewhere.run({ broker: where, parked: id }, request);
  }

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
      const sealed = await states.seal({ ...carried(logical), ...(server !== undefined && { server }) }, bound);
      return { ...answer, requestState: sealed };
    };
    const asServerSees = { ...request, logical, params: own, onAsk: counted(request.onAsk, logical) };
    // a legacy client is asked on its session's stream; a client without capabilities is not asked
    if (!canBeAsked(request.clientCapabilities)) return sealing(asServerSees);
    const running = startParkedCall(asServerSees, (side) => sealing({ ...asServerSees, ...side }));
    const round = await running.round(request, {});
    // why the cast: a call that was stopped also ends with an Answer
    return 'answer' in round
      ? round.answer
      : ((await parked.pause({ call: running, bound }, round.questions, request.signal)) as Answer);
  }

  return {
    /**
     * Runs one request of a client. `call` sends the request that the server gets, which has the server's own requestState
     * and a handler for its questions.
     * @throws ProtocolError -32602 for a requestState that was altered, or is another user's or call's. For prompts and
     *   resources, a LostCallError if its question is over
     */
    async run<P extends RoundParams, Answer extends object>(
      request: CallRequest<P>,
      sdk: ServerContext,
      call: (request: CallRequest<P>) => Promise<Answer | InputRequiredResult>,
    ): Promise<Answer | InputRequiredResult> {
      const bound = bindingOf(request, sdk);
      return orLost(bound, () => runRound(request, bound, sdk, call));
    },
    async stop(): Promise<void> {
      await elsewhere?.stop();
      parked.endAll();
    },
  };
}

/** Runs a round. For a tool, a lost call becomes a result that says what happened. */
async function orLost<Answer>({ method }: BoundCall, round: () => Promise<Answer>): Promise<Answer> {
  try {
    return await round();
  } catch (error) {
    // why the cast: this method's Answer is a CallToolResult
    if (error instanceof LostCallError && method === 'tools/call') return error.toResult() as Answer;
    throw error;
  }
}

/** The part of a call that its requestState carries. */
function carried({ id, credits, answers, left, priceAsked }: LogicalCall): Omit<RoundState, 'server' | 'parked'> {
  return {
    callId: id,
    ...(credits !== undefined && { credits }),
    ...(answers !== undefined && { answers }),
    ...(left && { left }),
    ...(priceAsked && { priceAsked }),
  };
}

/** Counts answers to questions on the call's own stream, where no request of the client marks the next round. */
function counted(onAsk: CallRequest<unknown>['onAsk'], logical: LogicalCall): CallRequest<unknown>['onAsk'] {
  if (!onAsk) return undefined;
  return async (ask, signal) => {
    const answer = await onAsk(ask, signal);
    countAnswer(logical);
    return answer;
  };
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
