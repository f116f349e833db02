import {
  inputRequired,
  isInputRequiredResult,
  ProtocolError,
  UrlElicitationRequiredError,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import { ownFact } from '#platform/own-meta.ts';
import type { CallRequest } from './call-request.ts';

/** Marks the second round after our own question. It grants nothing: a client that forges it only skips the question. */
const ownState = 'souk:sign-in';
const inputKey = 'souk_sign_in';

/** The page where the user connects their upstream account, or enters headers for the server. */
export function connectUrl(publicUrl: string, serverId: string): string {
  return `${publicUrl}/connect/${serverId}`;
}

/** A prompt or resource needs the user's upstream account; for a tool call this is a result instead. */
export class SignInRequiredError extends ProtocolError {
  readonly page: { url: string; server: string };

  constructor(text: string, page: { url: string; server: string }) {
    super(-32603, text, { code: 'sign_in_required', url: page.url });
    this.page = page;
  }
}

/** The request without the answers to our own question, which the server did not ask. */
export function withoutOwnAnswers<P extends object>(request: CallRequest<P>): CallRequest<P> {
  if (!isSecondRound(request)) return request;
  const own = new Set(['inputResponses', 'requestState']);
  const params = Object.fromEntries(Object.entries(request.params).filter(([name]) => !own.has(name)));
  // why the cast: both members are optional in every request; the compiler cannot see that through the generic
  return { ...request, params: params as P };
}

/**
 * Replaces the answer of a call that needs the user's upstream account, for a client that can open a page, with the
 * request to open it (elicitation in URL mode), once. Returns every other answer unchanged.
 * @param capabilities what the client declared, with this request or when it opened its session
 * @throws UrlElicitationRequiredError (-32042) for clients of the eras before 2026-07-28
 */
export function askSignIn(
  result: CallToolResult | InputRequiredResult,
  request: CallRequest<object>,
  capabilities: ClientCapabilities | undefined,
  newId: () => string,
): CallToolResult | InputRequiredResult {
  if (isInputRequiredResult(result) || !needsSignIn(result)) return result;
  const url = ownFact(result._meta, 'url');
  if (typeof url !== 'string') return result;
  return askToOpen({ url, server: String(ownFact(result._meta, 'server')) }, request, capabilities, newId) ?? result;
}

/**
 * Runs a request for a prompt or a resource, and asks the same question when it needs an upstream account.
 * @throws UrlElicitationRequiredError (-32042), as above; SignInRequiredError for clients that cannot open a page
 */
export async function orAskSignIn<P extends object, Answer extends object>(
  request: CallRequest<P>,
  newId: () => string,
  exchange: (request: CallRequest<P>) => Promise<Answer>,
): Promise<Answer | InputRequiredResult> {
  try {
    return await exchange(withoutOwnAnswers(request));
  } catch (error) {
    if (!(error instanceof SignInRequiredError)) throw error;
    const asked = askToOpen(error.page, request, request.context.capabilities, newId);
    if (!asked) throw error;
    return asked;
  }
}

/** Undefined for a client that cannot open pages or was already asked. */
function askToOpen(
  { url, server }: { url: string; server: string },
  request: CallRequest<object>,
  capabilities: ClientCapabilities | undefined,
  newId: () => string,
): InputRequiredResult | undefined {
  if (!capabilities?.elicitation?.url || isSecondRound(request)) return undefined;
  const message = `Sign in to ${server} to use it.`;
  if (request.clientCapabilities) {
    return inputRequired({
      inputRequests: { [inputKey]: inputRequired.elicitUrl({ message, url }) },
      requestState: ownState,
    });
  }
  throw new UrlElicitationRequiredError([{ mode: 'url', message, url, elicitationId: newId() }]);
}

function isSecondRound({ params }: CallRequest<object>): boolean {
  return 'requestState' in params && params.requestState === ownState;
}

function needsSignIn(result: CallToolResult): boolean {
  return result.isError === true && ownFact(result._meta, 'code') === 'sign_in_required';
}
