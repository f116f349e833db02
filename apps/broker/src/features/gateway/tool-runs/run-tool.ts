import {
  isInputRequiredResult,
  ProtocolError,
  type CallToolRequest,
  type CallToolResult,
  type InputRequiredResult,
  type Progress,
} from '@modelcontextprotocol/server';
import type { Ask, Listening } from '#adapters/mcp/upstream.ts';
import type { PriceRise } from '#features/billing/index.ts';
import { asRecord } from '#platform/json.ts';
import type { Caller } from '#platform/http/caller.ts';
import { askPrice } from '../call/ask-price.ts';
import { askSignIn, withoutOwnAnswers } from '../call/ask-sign-in.ts';
import type { CallRequest } from '../call/call-request.ts';
import { callTool } from '../call/call-tool.ts';
import type { PageQuestions } from '../call/page-questions.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { callAcrossEras } from '../protocol/input-rounds/across-eras.ts';
import { countAnswer } from '../protocol/input-rounds/parked-call.ts';

/** Rounds allowed per run: a server that always asks again would never let it end. */
const maxRounds = 16;

/** The web app shows forms and links to pages. It has no model to lend and no folders. */
const capabilities = { elicitation: { form: {}, url: {} } };

/** The web app shows every question, so it never needs the URL in a text instead. */
const pages: PageQuestions = { mayAsk: () => true, asked() {}, answered() {} };

export type ToolRun = {
  caller: Caller;
  callId: string;
  serverId: string;
  tool: string;
  arguments: Record<string, unknown>;
  signal: AbortSignal;
  onProgress(progress: Progress): void;
  listening(): Listening;
  /** Asks the user. Rejects when `signal` aborts, and when the run ends. */
  ask(ask: RunAsk, signal: AbortSignal): Promise<Record<string, unknown>>;
};

/** A question to the user: from the server or, about a price that rose, from us. */
export type RunAsk = Ask & { rise?: PriceRise | undefined };

type Params = CallToolRequest['params'] & Pick<InputRequiredResult, 'requestState'>;
type Answer = CallToolResult | InputRequiredResult;

/**
 * Runs a tool for a user of the web app, on the path of every call. This is a client of 2026-07-28 in the same process: it
 * asks the user and repeats the call with their answers.
 * @throws ProtocolError as callTool does; the signal's reason when it aborts between two rounds
 */
export async function runTool(run: ToolRun, parts: GatewayParts): Promise<CallToolResult> {
  const { caller, callId, signal } = run;
  const request: CallRequest<Params> = {
    logical: { id: callId },
    context: { caller, serverId: run.serverId, capabilities },
    client: `${caller.tokenId}/web`,
    params: { name: run.tool, arguments: run.arguments },
    signal,
    onProgress: run.onProgress,
    listening: run.listening,
    clientCapabilities: capabilities,
    async onAsk(ask, withdrawn) {
      const answer = await run.ask(ask, AbortSignal.any([withdrawn, signal]));
      countAnswer(request.logical);
      return answer;
    },
  };
  let round = request;
  for (let rounds = 1; ; rounds++) {
    const answer = await callOnce(round, parts);
    if (!isInputRequiredResult(answer)) return answer;
    if (rounds === maxRounds) throw new ProtocolError(-32_603, `The tool asked more than ${maxRounds} times`);
    const inputResponses = await askAll(answer, run, request.logical.priceAsked);
    signal.throwIfAborted();
    countAnswer(request.logical);
    const { requestState } = answer;
    // why the cast: the answers have the keys of the server's own questions
    const params = { ...request.params, inputResponses, ...(requestState !== undefined && { requestState }) } as Params;
    round = { ...request, params };
  }
}

function callOnce(request: CallRequest<Params>, parts: GatewayParts): Promise<Answer> {
  return callAcrossEras(request, pages, async () =>
    askSignIn(
      await askPrice(request, { ...parts, pages }, (round) => callTool(withoutOwnAnswers(round), parts)),
      request,
      { ids: parts.ids, pages },
    ),
  );
}

/** @throws ProtocolError for anything but a question to the user */
async function askAll(
  { inputRequests = {} }: InputRequiredResult,
  run: ToolRun,
  rise: PriceRise | undefined,
): Promise<Record<string, unknown>> {
  const asked = Object.entries<unknown>(inputRequests).map(async ([key, question]) => {
    const { method, params } = asRecord(question) ?? {};
    if (method !== 'elicitation/create')
      throw new ProtocolError(-32_603, 'The tool asked for something that the web app cannot provide');
    return [key, await run.ask({ method, params: asRecord(params) ?? {}, rise }, run.signal)] as const;
  });
  return Object.fromEntries(await Promise.all(asked));
}
