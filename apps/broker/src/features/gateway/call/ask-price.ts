import {
  inputRequired,
  isInputRequiredResult,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import type { PriceRise } from '#features/billing/index.ts';
import { asRecord } from '#platform/json.ts';
import { ownFact } from '#platform/own-meta.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { askToOpen } from './ask-sign-in.ts';
import { chargingUnavailable, stoppedResult } from './call-failure.ts';
import type { CallRequest } from './call-request.ts';
import { stopped } from './open-questions.ts';
import { failedResult } from './own-results.ts';
import type { PageQuestions } from './page-questions.ts';
import { riseText } from './price-raised.ts';

const inputKey = 'souk_price';

type Params = { name: string; inputResponses?: Record<string, unknown>; requestState?: string };
type Answer = CallToolResult | InputRequiredResult;
type Parts = Pick<GatewayParts, 'catalogue' | 'ids' | 'log' | 'priceRises' | 'riseUrl'> & { pages: PageQuestions };

/**
 * Runs a tool call. If its price rose, asks the user once, in the gateway's own form, whether they agree. Only the
 * form's answer approves the price. A client that can only open pages is asked to open ours; for every other client the
 * call stays refused, with the URL of the page.
 * @param run runs the call, and refuses it until the price is approved
 */
export async function askPrice<P extends object>(
  request: CallRequest<P & Params>,
  parts: Parts,
  run: (request: CallRequest<P & Params>) => Promise<Answer>,
): Promise<Answer> {
  const { logical } = request;
  const asked = logical.priceAsked;
  if (asked) {
    // a client of 2026-07-28 repeats the call with the answer; its requestState names the question
    logical.priceAsked = undefined;
    const isLost = approves(request.params.inputResponses?.[inputKey]) && !(await approve(request, asked, parts));
    return isLost ? unavailable() : run(withoutAnswer(request));
  }
  const result = await run(request);
  const rise = isRefused(result) ? logical.priceRise : undefined;
  if (!rise) return result;
  if (!showsForms(request.context.capabilities)) {
    const message = `${riseText(rise, rise.tool)}. Approve it on this page to use it.`;
    return askToOpen({ url: parts.riseUrl(rise), message }, request, parts) ?? result;
  }
  if (!parts.pages.mayAsk(request)) return result;
  const question = questionOf(rise, parts);
  if (request.clientCapabilities) {
    parts.pages.asked(request);
    logical.priceAsked = rise;
    return inputRequired({ inputRequests: { [inputKey]: inputRequired.elicit(question) } });
  }
  const ask = { method: 'elicitation/create' as const, params: question };
  const answer = await request.onAsk?.(ask, request.signal).catch(() => undefined);
  if (request.signal.reason === stopped) return stoppedResult();
  if (!approves(answer)) return result;
  return (await approve(request, rise, parts)) ? run(request) : unavailable();
}

function isRefused(result: Answer): boolean {
  return !isInputRequiredResult(result) && ownFact(result._meta, 'code') === 'price_raised';
}

/** @returns false if the approval could not be stored: then it does not count */
async function approve(
  { context }: CallRequest<object>,
  { serverId, tool, newCredits }: PriceRise,
  { priceRises, log }: Parts,
): Promise<boolean> {
  try {
    await priceRises.approve(context.caller.userId, [{ serverId, tool, credits: newCredits }], 'form');
    return true;
  } catch (error) {
    log.error({ err: error }, 'the approval of a price could not be stored: the call is refused');
    return false;
  }
}

function unavailable(): CallToolResult {
  return failedResult(chargingUnavailable, { code: 'charging_unavailable' });
}

/** Removes the answer to a question that the server did not ask. */
function withoutAnswer<P extends Params>(request: CallRequest<P>): CallRequest<P> {
  const { inputResponses: _, ...params } = request.params;
  // why the cast: the answers are optional in every request; the compiler cannot see that through the generic
  return { ...request, params: params as P };
}

function approves(answer: unknown): boolean {
  const { action, content } = asRecord(answer) ?? {};
  return action === 'accept' && asRecord(content)?.['approve'] === true;
}

/** Before modes existed, `elicitation: {}` meant forms. */
function showsForms(capabilities: ClientCapabilities | undefined): boolean {
  const elicitation = capabilities?.elicitation;
  return elicitation !== undefined && (elicitation.form !== undefined || elicitation.url === undefined);
}

function questionOf(rise: PriceRise, { catalogue }: Parts) {
  const server = catalogue.snapshot().byId.get(rise.serverId)?.manifest.name ?? rise.serverId;
  const at = new Date(rise.raisedAtMs).toISOString().slice(0, 16).replace('T', ' ');
  return {
    message: `${riseText(rise, rise.tool)} a call at ${server} (${at} UTC). The call runs once you approve the new price, which then applies to later calls too.`,
    requestedSchema: {
      type: 'object' as const,
      properties: {
        approve: {
          type: 'boolean' as const,
          title: `Pay ${rise.newCredits} ${rise.newCredits === 1 ? 'credit' : 'credits'} a call from now on`,
          default: false,
        },
      },
      required: ['approve'],
    },
  };
}
