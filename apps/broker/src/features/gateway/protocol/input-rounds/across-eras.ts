import {
  inputRequired,
  isInputRequiredResult,
  ProtocolError,
  type CallToolResult,
  type ClientCapabilities,
  type InputRequest,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import { asRecord } from '#platform/json.ts';
import { ownMeta } from '#platform/own-meta.ts';
import { isWebPage } from '#platform/http/is-web-page.ts';
import type { CallRequest } from '../../call/call-request.ts';

/** Code of a modern server: the client lacks a required capability. */
const missingCapability = -32021;
/** Code up to 2025-11-25: the user must open a page first. */
const urlRequired = -32042;

const neededWords: Record<InputRequest['method'], string> = {
  'elicitation/create': 'ask you something (elicitation)',
  'sampling/createMessage': 'let the server use your model (sampling)',
  'roots/list': 'say which folders it works in (roots)',
};

/**
 * Translates answers that only one era has into the client's era: a page to open becomes an input request, and a missing
 * capability of a session's client becomes a text that its model can read.
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
 * Turns an error that the client's era does not know, or that asks for a missing capability, into a text. Undefined for
 * every other error.
 * @param modern the capabilities of a client of 2026-07-28; undefined for the client of a session
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
  const required = asRecord(error.data)?.['requiredCapabilities'];
  const words = Object.keys(Object(required ?? {})).join(', ') || 'more';
  return refusal(`This tool needs a client that can do ${words}. Yours cannot.`);
}

/** Names the capability that a session's client lacks for an answer of a modern server. */
function cannotGive({ clientCapabilities, context }: CallRequest<unknown>, answer: InputRequiredResult) {
  if (clientCapabilities) return undefined;
  const lacking = Object.values(answer.inputRequests ?? {}).find(({ method }) => !can(context.capabilities, method));
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

/** Whether a question has a URL that is not a web page. Until here only the number of questions was checked. */
export function wantsOtherThanPages({ inputRequests = {} }: InputRequiredResult): boolean {
  return Object.values<unknown>(inputRequests).some((question) => {
    const params = asRecord(asRecord(question)?.['params']);
    return params?.['mode'] === 'url' && !isWebPage(params['url']);
  });
}

/** URLs that could run code or open a file on the user's machine are never passed on (security.md, Boundaries). */
export function notAPage(): CallToolResult {
  return refusal('This tool asked to open an address that is not a web page. It was not passed on.', 'bad_upstream');
}

/** Asks the client to open the pages. It then repeats the call, which the server accepts. */
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
  return { content: [{ type: 'text', text }], isError: true, _meta: ownMeta({ code }) };
}
