import {
  inputRequired,
  isInputRequiredResult,
  ProtocolError,
  UrlElicitationRequiredError,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { CallRequest } from './call-request.ts';

/** Marks the second round of a question of ours. It grants nothing, so that a forged one only forgoes the question. */
const ownState = 'souk:sign-in';
const inputKey = 'souk_sign_in';

/** The page on which somebody signs in to a server, or enters headers for it. */
export function connectUrl(publicUrl: string, serverId: string): string {
  return `${publicUrl}/connect/${serverId}`;
}

/** A result that says that a sign-in is needed, with the place for it; any other result as it is. */
export function withSignInLink(
  result: CallToolResult,
  server: CatalogueServer,
  { publicUrl }: { publicUrl: string },
): CallToolResult {
  if (!needsSignIn(result)) return result;
  const url = connectUrl(publicUrl, server.id);
  const { name } = server.manifest;
  const text = `${name} needs your own sign-in there before its tools can be used. Open ${url} in your browser, sign in, and call the tool again. Nothing was charged.`;
  return { ...result, content: [{ type: 'text', text }], _meta: { ...result._meta, url, server: name } };
}

/** The same for prompts and resources, whose failures are errors. */
export class SignInRequiredError extends ProtocolError {
  readonly page: { url: string; server: string };

  constructor(server: CatalogueServer, { publicUrl }: { publicUrl: string }) {
    const url = connectUrl(publicUrl, server.id);
    const { name } = server.manifest;
    const text = `${name} needs your own sign-in there first. Open ${url} in your browser, sign in, and try again. Nothing was charged.`;
    super(-32603, text, { code: 'sign_in_required', url });
    this.page = { url, server: name };
  }
}

/** The request without what belongs to a question of ours: the server never asked for it. */
export function withoutOwnAnswers<P extends object>(request: CallRequest<P>): CallRequest<P> {
  if (!isSecondRound(request)) return request;
  const own = new Set(['inputResponses', 'requestState']);
  const params = Object.fromEntries(Object.entries(request.params).filter(([name]) => !own.has(name)));
  // Both are optional wherever they stand; the compiler cannot see that through the generic.
  return { ...request, params: params as P };
}

/**
 * The answer of a call that needs a sign-in, for a client that can open a page: the page to open (elicitation in URL
 * mode), asked once. Other answers, and clients that cannot, get the result as it is.
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
  const { url, server } = result._meta ?? {};
  if (typeof url !== 'string') return result;
  return askToOpen({ url, server: String(server) }, request, capabilities, newId) ?? result;
}

/**
 * A request for a prompt or a resource, with the same question where it needs a sign-in.
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
    const asked = askToOpen(error.page, request, request.person.capabilities, newId);
    if (!asked) throw error;
    return asked;
  }
}

/** Undefined for a client that cannot open pages, and for one that was asked already. */
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
  return result.isError === true && result._meta?.['code'] === 'sign_in_required';
}
