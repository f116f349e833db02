import {
  inputRequired,
  isInputRequiredResult,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import type { PriceRise } from '#features/billing/index.ts';
import { asRecord } from '#platform/json.ts';
import { ownFact, ownMeta } from '#platform/own-meta.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import { askToOpen } from './ask-sign-in.ts';
import { chargingUnavailable, stoppedResult } from './call-failure.ts';
import type { CallRequest } from './call-request.ts';
import { stopped } from './open-questions.ts';
import type { PageQuestions } from './page-questions.ts';
import { riseText } from './price-raised.ts';

const inputKey = 'souk_price';

type Params = { name: string; inputResponses?: Record<string, unknown>; requestState?: string };
type Answer = CallToolResult | InputRequiredResult;
type Parts = Pick<GatewayParts, 'catalogue' | 'ids' | 'log' | 'priceRises' | 'riseUrl'> & { pages: PageQuestions };

/**
 * Runs a tool call, and asks the person whether they agree to its price where that rose, in a form of the gateway's own, once.
 * Only the form's own answer approves it. A client that can only open pages is asked to open ours; for every other it stays a
 * refusal with the address of the page.
 * @param run runs it, and refuses it as long as the price is not approved
 */
export async function askPrice<P extends object>(
  request: CallRequest<P & Params>,
  parts: Parts,
  run: (request: CallRequest<P & Params>) => Promise<Answer>,
): Promise<Answer> {
  const { logical } = request;
  const asked = logical.priceAsked;
  if (asked) {
    // a client of 2026-07-28 comes back with the answer, and the state that it carried says to what
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

/** @returns false where it could not be stored: the person then has not approved it */
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
  const _meta = ownMeta({ code: 'charging_unavailable' });
  return { content: [{ type: 'text', text: chargingUnavailable }], isError: true, _meta };
}

/** The server did not ask this. */
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
    message: `${riseText(rise, rise.tool)} a call at ${server} (${at} UTC). It runs once you approve the new price, which then holds for later calls too.`,
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
