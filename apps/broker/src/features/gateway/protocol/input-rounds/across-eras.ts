import {
  inputRequired,
  isInputRequiredResult,
  ProtocolError,
  type CallToolResult,
  type InputRequest,
  type InputRequiredResult,
} from '@modelcontextprotocol/server';
import { asRecord } from '#platform/json.ts';
import { isWebPage } from '#platform/http/is-web-page.ts';
import { answerWords } from '../../call/call-failure.ts';
import type { CallRequest } from '../../call/call-request.ts';
import { failedResult } from '../../call/own-results.ts';
import type { PageQuestions } from '../../call/page-questions.ts';

/** A modern server's code when the client lacks a required capability. */
const missingCapability = -32021;
/** The code up to 2025-11-25 when the user must open a page first. */
const urlRequired = -32042;

const notAPageText = 'This tool asked to open an address that is not a web page. It was not passed on.';

/** The capability that each question needs, and what a client with it can do. */
const needs = {
  'elicitation/create': { capability: 'elicitation', words: answerWords.form },
  'sampling/createMessage': { capability: 'sampling', words: answerWords.sampling },
  'roots/list': { capability: 'roots', words: answerWords.roots },
} as const;

/**
 * Translates answers that exist in only one era for a client of the other: a page to open becomes an input request, and what
 * the client does not know or cannot do becomes a text that its model can read.
 */
export async function callAcrossEras<P extends object>(
  request: CallRequest<P>,
  pages: PageQuestions,
  call: (request: CallRequest<P>) => Promise<CallToolResult | InputRequiredResult>,
): Promise<CallToolResult | InputRequiredResult> {
  try {
    const answer = await call(request);
    if (isInputRequiredResult(answer) && hasUnsafeUrl(answer)) return notAPage();
    const missing = isInputRequiredResult(answer) ? missingAbility(request, answer) : undefined;
    return missing ? refusal(`This tool needs a client that can ${missing}. Yours cannot.`) : answer;
  } catch (error) {
    if (!(error instanceof ProtocolError)) throw error;
    const asked = askToOpenPages(error, request, pages);
    if (asked) return asked;
    const refused = asRefusal(error, request.clientCapabilities ? 'modern' : 'legacy');
    if (!refused || isForClient(error, request, pages)) throw error;
    return refused;
  }
}

/** Translates answers for a prompt or a resource, whose failures are errors. */
export async function promptOrResourceAcrossEras<P extends object, Answer extends object>(
  request: CallRequest<P>,
  pages: PageQuestions,
  exchange: () => Promise<Answer>,
): Promise<Answer | InputRequiredResult> {
  try {
    return await exchange();
  } catch (error) {
    if (!(error instanceof ProtocolError) || error.code !== urlRequired) throw error;
    const asked = askToOpenPages(error, request, pages);
    if (asked) return asked;
    if (isForClient(error, request, pages)) throw error;
    throw new ProtocolError(-32603, hasPagesOnly(error) ? pagesText(error) : notAPageText, { code: 'client_cannot' });
  }
}

function canOpen(request: CallRequest<object>, pages: PageQuestions): boolean {
  return request.context.capabilities?.elicitation?.url !== undefined && pages.mayAsk(request);
}

/** Whether -32042 can go to the client unchanged: its session's revision has it, and the client can open the pages. */
function isForClient(error: ProtocolError, request: CallRequest<object>, pages: PageQuestions): boolean {
  return error.code === urlRequired && !request.clientCapabilities && hasPagesOnly(error) && canOpen(request, pages);
}

/** Asks a client of 2026-07-28 to open the pages of an error, if it can. It then repeats the call. */
function askToOpenPages(
  error: ProtocolError,
  request: CallRequest<object>,
  pages: PageQuestions,
): InputRequiredResult | undefined {
  if (error.code !== urlRequired || !request.clientCapabilities || !hasPagesOnly(error)) return undefined;
  const named = pagesOf(error.data);
  if (named.length === 0 || !canOpen(request, pages)) return undefined;
  pages.asked(request);
  return inputRequired({
    inputRequests: Object.fromEntries(named.map((page, index) => [`page-${index + 1}`, inputRequired.elicitUrl(page)])),
  });
}

/**
 * Turns an error into a text if the client's era does not know it, if it asks for a missing capability, or if it names pages
 * that the client cannot open. Undefined for every other error.
 */
export function asRefusal(error: ProtocolError, era: 'modern' | 'legacy'): CallToolResult | undefined {
  if (error.code === missingCapability && era === 'legacy') return lacking(error);
  if (error.code !== urlRequired) return undefined;
  return hasPagesOnly(error) ? refusal(pagesText(error)) : notAPage();
}

function hasPagesOnly({ data }: ProtocolError): boolean {
  return pagesOf(data).length === elicitationsOf(data).length;
}

function pagesText({ data, message: reason }: ProtocolError): string {
  const pages = pagesOf(data).map(({ message, url }) => `${message} Open ${url} in your browser, then try again.`);
  return pages.length > 0 ? pages.join('\n') : reason;
}

function lacking(error: ProtocolError): CallToolResult {
  const required = asRecord(error.data)?.['requiredCapabilities'];
  const words = Object.keys(Object(required ?? {})).join(', ') || 'more';
  return refusal(`This tool needs a client that can do ${words}. Yours cannot.`);
}

/** Names what a modern server's answer asks for and this session's client cannot do; undefined if there is nothing. */
function missingAbility({ clientCapabilities, context }: CallRequest<unknown>, answer: InputRequiredResult) {
  if (clientCapabilities) return undefined;
  const can = ({ method }: InputRequest) => context.capabilities?.[needs[method]?.capability] !== undefined;
  const lacking = Object.values(answer.inputRequests ?? {}).find((question) => !can(question));
  return lacking && (needs[lacking.method]?.words ?? lacking.method);
}

/** Whether an answer asks to open a URL that is not a web page. */
export function hasUnsafeUrl({ inputRequests = {} }: InputRequiredResult): boolean {
  return Object.values<unknown>(inputRequests).some((question) => {
    const params = asRecord(asRecord(question)?.['params']);
    return params?.['mode'] === 'url' && !isWebPage(params['url']);
  });
}

/** URLs that could run code or open a file on the user's machine are never passed on. */
export function notAPage(): CallToolResult {
  return refusal(notAPageText, 'bad_upstream');
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
  return failedResult(text, { code });
}
