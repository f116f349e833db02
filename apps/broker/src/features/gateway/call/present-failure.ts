import { ProtocolError, type CallToolResult, type InputRequiredResult } from '@modelcontextprotocol/server';
import type { ToolAnswer } from '#adapters/mcp/upstream.ts';
import type { UsageRow } from '#features/billing/index.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { needsOwnSecrets } from '#features/upstreams/index.ts';
import { ownMeta } from '#platform/own-meta.ts';
import { hiddenErrorCode, hiddenText, serviceUrl, type HowToGet } from '../view/hidden-text.ts';
import type { Hidden } from '../view/visible.ts';
import { connectUrl, SignInRequiredError } from './ask-sign-in.ts';
import { failureText, nothingCharged, wholeSeconds } from './call-failure.ts';
import { endOf, type CallEnd, type CallFailure, type NoAnswer } from './outcome.ts';
import { failedResult } from './own-results.ts';

type Kind = UsageRow['kind'];
/** The facts with which the texts about failures name pages and prices. */
export type Links = { publicUrl: string; howToGet: HowToGet };

/**
 * Presents a tool call without an answer as a result.
 * @throws ProtocolError for an invalid request (-32602 unknown tool, -32601 task-only tool), and for a JSON-RPC error of
 *   the server, with its code, message and data
 */
export function presentAsResult(end: NoAnswer, links: Links): CallToolResult {
  if (end.kind === 'hold_refused') return failedResult(end.text, { code: end.code, ...end.facts });
  if (end.kind === 'protocol_error' || end.code === 'unknown' || end.code === 'needs_task') {
    throw presentAsError(end, 'tool', links);
  }
  const page = signInPage(end, links);
  return failedResult(textOf(end, 'tool', links), { ...dataOf(end), ...page });
}

/** Presents the end of a tool call to the SDK's server. @throws ProtocolError as presentAsResult does */
export function presentToolEnd(end: CallEnd<ToolAnswer>, links: Links): CallToolResult | InputRequiredResult {
  if (end.kind !== 'answered') return presentAsResult(end, links);
  const { answer, receipt } = end;
  if (answer.kind === 'input_required') return answer.questions;
  const result = answer.toResult();
  return receipt ? { ...result, _meta: { ...result._meta, ...ownMeta(receipt) } } : result;
}

/** Presents a prompt or resource without an answer as a JSON-RPC error. */
export function presentAsError(end: NoAnswer, kind: Kind, links: Links): ProtocolError {
  switch (end.kind) {
    case 'protocol_error':
      return new ProtocolError(end.error.code ?? -32603, end.error.message, end.error.data);
    case 'hold_refused':
      return new ProtocolError(-32603, end.text, { code: end.code });
    case 'failure':
      return failureError(end, kind, links);
  }
}

/** Presents an upstream's error of a completion or a subscription. Returns our own errors unchanged. */
export function presentUpstreamError(error: unknown, server: CatalogueServer, links: Links): unknown {
  const end = endOf(error, { server, name: '' }, { cancelled: undefined, wasDispatched: true });
  return end ? presentAsError(end, 'resource', links) : error;
}

/** Presents a prompt or resource of a server that the user may know about but does not see. */
export function presentHidden({ server, name, why }: Hidden, kind: Kind, links: Links): ProtocolError {
  return failureError({ kind: 'failure', code: why, wasDispatched: false, server, name }, kind, links);
}

function failureError(end: CallFailure, kind: Kind, links: Links): ProtocolError {
  const text = textOf(end, kind, links);
  switch (end.code) {
    case 'unknown':
      return new ProtocolError(-32602, text);
    case 'needs_task':
      return new ProtocolError(-32601, text);
    case 'sign_in_required': {
      const page = signInPage(end, links);
      if (page) return new SignInRequiredError(text, page);
      break;
    }
    case 'not_included':
    case 'switched_off':
      return new ProtocolError(hiddenErrorCode, text, { ...dataOf(end), url: urlFor(end, links) });
  }
  return new ProtocolError(-32603, text, dataOf(end));
}

function textOf(end: CallFailure, kind: Kind, links: Links): string {
  const { code, server, former = '', name, asks, cause, retryAfterMs } = end;
  const url = urlFor(end, links);
  const isHidden = code === 'not_included' || code === 'switched_off';
  const whyHidden =
    server && isHidden ? hiddenText(code, server, { url, howToGet: links.howToGet, charge: nothingCharged }) : '';
  const shown = { server: server?.manifest.name ?? former, credentialsOf: server && credentialsOf(server) };
  return failureText(code, { kind, ...shown, whyHidden, url, name, asks, cause, retryAfterMs });
}

/** Where the user signs in; undefined if they have no account to sign in with. */
function signInPage(end: CallFailure, links: Links): { url: string; server: string } | undefined {
  const { code, server } = end;
  if (code !== 'sign_in_required' || !server || !needsOwnSecrets(server)) return undefined;
  return { url: urlFor(end, links), server: server.manifest.name };
}

function credentialsOf(server: CatalogueServer): 'user' | 'operator' | 'none' {
  if (needsOwnSecrets(server)) return 'user';
  return server.manifest.auth.type === 'none' ? 'none' : 'operator';
}

function urlFor({ code, server }: CallFailure, { publicUrl }: Links): string {
  if (!server) return publicUrl;
  if (code === 'sign_in_required' && needsOwnSecrets(server)) return connectUrl(publicUrl, server.id);
  return serviceUrl(publicUrl, server);
}

/** The facts for programs: the code, and the seconds until a retry may succeed, if known. */
function dataOf({ code, retryAfterMs }: CallFailure): { code: string; retryAfterSeconds?: number } {
  return { code, ...(retryAfterMs !== undefined && { retryAfterSeconds: wholeSeconds(retryAfterMs) }) };
}
