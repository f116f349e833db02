import { ProtocolError, type CallToolResult } from '@modelcontextprotocol/server';
import type { RunEvent, RunFacts, RunQuestion } from '@souk/contract/tool-runs.ts';
import { isWebPage } from '#platform/http/is-web-page.ts';
import { asRecord } from '#platform/json.ts';
import type { Log } from '#platform/log.ts';
import { ownFact } from '#platform/own-meta.ts';
import { unanswered } from '../call/call.ts';
import { stoppedText } from '../call/call-failure.ts';
import { stopped } from '../call/open-questions.ts';
import { shutOut } from '../call/running-calls.ts';
import type { RunAsk } from './run-tool.ts';

/** @throws ProtocolError for a URL that could run code or open a file on the user's machine */
export function questionOf(id: string, { params, rise }: RunAsk): RunQuestion {
  if (rise) {
    const { oldCredits, newCredits, raisedAtMs } = rise;
    return { mode: 'price', id, oldCredits, newCredits, raisedAt: new Date(raisedAtMs).toISOString() };
  }
  const message = String(params['message'] ?? '');
  if (params['mode'] !== 'url') {
    return { mode: 'form', id, message, schema: asRecord(params['requestedSchema']) ?? {} };
  }
  const { url } = params;
  if (!isWebPage(url)) throw new ProtocolError(-32_602, 'Only web pages can be opened');
  return { mode: 'page', id, message, url: String(url) };
}

const factNames = ['code', 'charged', 'required', 'available', 'topUpUrl', 'url'] as const satisfies (keyof RunFacts)[];

export function resultEvent(
  { content, structuredContent, isError, _meta }: CallToolResult,
  durationMs: number,
): RunEvent {
  const facts = factNames.map((name) => [name, ownFact(_meta, name)] as const);
  return {
    type: 'result',
    isError: isError === true,
    content: content ?? [],
    ...(structuredContent !== undefined && { structuredContent }),
    durationMs: Math.round(durationMs),
    facts: Object.fromEntries(facts.filter(([, fact]) => fact !== undefined)),
  };
}

export function failureText(error: unknown, { aborted, reason }: AbortSignal, log: Log): string {
  if (aborted && reason === shutOut) return `${shutOut.message}.`;
  if (aborted && reason === stopped) return stoppedText('tool');
  if (aborted) return reason === unanswered ? 'The question was not answered in time.' : 'The call was canceled.';
  if (error instanceof ProtocolError) return error.message;
  log.error({ err: error }, 'a tool could not be run from the web');
  return 'An unexpected error occurred';
}
