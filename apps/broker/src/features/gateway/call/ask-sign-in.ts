import {
  inputRequired,
  isInputRequiredResult,
  ProtocolError,
  UrlElicitationRequiredError,
  type CallToolResult,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import { ownFact } from '#platform/own-meta.ts';
import type { Ids } from '#platform/ids.ts';
import type { CallRequest } from './call-request.ts';
import type { PageQuestions } from './page-questions.ts';

/** Marks the second round, after our own question. Forging it grants nothing: it only skips the question. */
const ownState = 'souk:sign-in';
const inputKey = 'souk_sign_in';

type Parts = { ids: Ids; pages: PageQuestions };

export function connectUrl(publicUrl: string, serverId: string): string {
  return `${publicUrl}/connect/${serverId}`;
}

/** Thrown for a prompt or resource that needs the user's upstream account. A tool call returns a result instead. */
export class SignInRequiredError extends ProtocolError {
  readonly page: { url: string; server: string };

  constructor(text: string, page: { url: string; server: string }) {
    super(-32603, text, { code: 'sign_in_required', url: page.url });
    this.page = page;
  }
}

/** Removes the answers to our own question, which the server did not ask. */
export function withoutOwnAnswers<P extends object>(request: CallRequest<P>): CallRequest<P> {
  if (!isSecondRound(request)) return request;
  const own = new Set(['inputResponses', 'requestState']);
  const params = Object.fromEntries(Object.entries(request.params).filter(([name]) => !own.has(name)));
  // why the cast: both members are optional in every request; the compiler cannot see that through the generic
  return { ...request, params: params as P };
}

/**
 * If a call needs the user's upstream account, asks the user once to open the page where they connect it (elicitation in URL
 * mode). A client that cannot open pages gets a text with the URL. Returns every other answer unchanged.
 * @throws UrlElicitationRequiredError (-32042) for clients of 2025-11-25
 */
export function askSignIn(
  result: CallToolResult | InputRequiredResult,
  request: CallRequest<object>,
  parts: Parts,
): CallToolResult | InputRequiredResult {
  if (isInputRequiredResult(result) || !needsSignIn(result)) return result;
  const url = ownFact(result._meta, 'url');
  if (typeof url !== 'string') return result;
  const message = signInMessage(String(ownFact(result._meta, 'server')));
  return askToOpen({ url, message }, request, parts) ?? result;
}

/**
 * Runs a request for a prompt or a resource. If it needs an upstream account, asks for the sign-in as askSignIn does.
 * @throws UrlElicitationRequiredError (-32042) as askSignIn does; SignInRequiredError for clients that cannot open a page
 */
export async function orAskSignIn<P extends object, Answer extends object>(
  request: CallRequest<P>,
  parts: Parts,
  exchange: (request: CallRequest<P>) => Promise<Answer>,
): Promise<Answer | InputRequiredResult> {
  try {
    return await exchange(withoutOwnAnswers(request));
  } catch (error) {
    if (!(error instanceof SignInRequiredError)) throw error;
    const { url, server } = error.page;
    const asked = askToOpen({ url, message: signInMessage(server) }, request, parts);
    if (!asked) throw error;
    return asked;
  }
}

const signInMessage = (server: string) => `Sign in to ${server} to use it.`;

/**
 * Asks the user to open a page of ours. Returns undefined if the client cannot open pages, never answers, or was asked before.
 * @throws UrlElicitationRequiredError (-32042) for clients of 2025-11-25
 */
export function askToOpen(
  { url, message }: { url: string; message: string },
  request: CallRequest<object>,
  { ids, pages }: Parts,
): InputRequiredResult | undefined {
  if (!request.context.capabilities?.elicitation?.url || isSecondRound(request) || !pages.mayAsk(request)) {
    return undefined;
  }
  if (request.clientCapabilities) {
    pages.asked(request);
    return inputRequired({
      inputRequests: { [inputKey]: inputRequired.elicitUrl({ message, url }) },
      requestState: ownState,
    });
  }
  throw new UrlElicitationRequiredError([{ mode: 'url', message, url, elicitationId: ids.uuid() }]);
}

function isSecondRound({ params }: CallRequest<object>): boolean {
  return 'requestState' in params && params.requestState === ownState;
}

function needsSignIn(result: CallToolResult): boolean {
  return result.isError === true && ownFact(result._meta, 'code') === 'sign_in_required';
}
