import {
  inputRequired,
  isInputRequiredResult,
  ProtocolError,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequest,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import { asRecord } from '#adapters/mcp/plain/json-object.ts';
import { isWebPage } from '#platform/http/is-web-page.ts';
import type { CallRequest } from '../call-request.ts';

/** A modern server's "your client cannot do what this needs". */
const missingCapability = -32021;
/** "A page must be opened first", up to 2025-11-25. */
const urlRequired = -32042;

const neededWords: Record<InputRequest['method'], string> = {
  'elicitation/create': 'ask you something (elicitation)',
  'sampling/createMessage': 'let the server use your model (sampling)',
  'roots/list': 'say which folders it works in (roots)',
};

/**
 * A tool call whose answer one era has and the other has not, in the terms of the client's era: a page to open becomes
 * an input request, and what a client of a session cannot do becomes a text that its model can read.
 */
export async function callAcrossEras<P>(
  request: CallRequest<P>,
  call: (request: CallRequest<P>) => Promise<CallToolResult | InputRequiredResult>,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const answer = await call(request);
    if (isInputRequiredResult(answer) && wantsOtherThanPages(answer)) return notAPage();
    const missing = isInputRequiredResult(answer) ? cannotGive(request, answer) : undefined;
    return missing ? refusal(`This tool needs a client that can ${missing}. Yours cannot.`) : answer;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const { clientCapabilities } = request;
    const refused = asRefusal(error, clientCapabilities);
    if (refused) return refused;
    if (error.code === urlRequired && clientCapabilities) return openPages(error);
    throw error;
  }
}

/**
 * An error that the client's era does not know, for a client that cannot do what it asks: as a text. Undefined for every
 * other error.
 * @param modern what a client of 2026-07-28 can do; undefined for the client of a session
 */
export function asRefusal(error: ProtocolError, modern: ClientCapabilities | undefined): CallToolResult | undefined {
  if (error.code === urlRequired && pagesOf(error.data).length < elicitationsOf(error.data).length) return notAPage();
  if (!modern) return error.code === missingCapability ? lacking(error) : undefined;
  if (error.code !== urlRequired || modern.elicitation?.url) return undefined;
  const pages = pagesOf(error.data).map(
    ({ message, url }) => `${message} Open ${url} in your browser, then try again.`,
  );
  return refusal(pages.length > 0 ? pages.join('\n') : error.message);
}

function lacking(error: ProtocolError): CallToolResult {
  const required: unknown =
    typeof error.data === 'object' && error.data !== null && 'requiredCapabilities' in error.data
      ? error.data.requiredCapabilities
      : {};
  const words = Object.keys(Object(required)).join(', ') || 'more';
  return refusal(`This tool needs a client that can do ${words}. Yours cannot.`);
}

/** What the client of a session lacks for an answer of a modern server, in words. */
function cannotGive({ clientCapabilities, person }: CallRequest<unknown>, answer: InputRequiredResult) {
  if (clientCapabilities) return undefined;
  const lacking = Object.values(answer.inputRequests ?? {}).find(({ method }) => !can(person.capabilities, method));
  return lacking && (neededWords[lacking.method] ?? lacking.method);
}

function can(capabilities: ClientCapabilities | undefined, method: InputRequest['method']): boolean {
  switch (method) {
    case 'elicitation/create':
      return capabilities?.elicitation !== undefined;
    case 'sampling/createMessage':
      return capabilities?.sampling !== undefined;
    case 'roots/list':
      return capabilities?.roots !== undefined;
  }
}

/** Of a server's questions nothing but their number was checked. */
function wantsOtherThanPages({ inputRequests = {} }: InputRequiredResult): boolean {
  return Object.values<unknown>(inputRequests).some((question) => {
    const params = asRecord(asRecord(question)?.['params']);
    return params?.['mode'] === 'url' && !isWebPage(params['url']);
  });
}

/** What could run code, or open a file, on the person's machine is shown to nobody (security.md, Boundaries). */
function notAPage(): CallToolResult {
  return refusal('This tool wants an address to be opened that is no web page. It was not passed on.', 'bad_upstream');
}

/** The call is repeated once the pages were opened: the server that wanted them then lets it through. */
function openPages(error: ProtocolError): InputRequiredResult {
  const pages = pagesOf(error.data);
  if (pages.length === 0) throw new ProtocolError(-32603, error.message);
  return inputRequired({
    inputRequests: Object.fromEntries(pages.map((page, index) => [`page-${index + 1}`, inputRequired.elicitUrl(page)])),
  });
}

function elicitationsOf(data: unknown): unknown[] {
  const listed = asRecord(data)?.['elicitations'];
  return Array.isArray(listed) ? listed : [];
}

function pagesOf(data: unknown): { message: string; url: string }[] {
  return elicitationsOf(data).flatMap((listed) => {
    const { url, message = '' } = asRecord(listed) ?? {};
    return typeof url === 'string' && isWebPage(url) ? [{ url, message: String(message) }] : [];
  });
}

function refusal(text: string, code = 'client_cannot'): CallToolResult {
  return { content: [{ type: 'text', text }], isError: true, _meta: { code } };
}
