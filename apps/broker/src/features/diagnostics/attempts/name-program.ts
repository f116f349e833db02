import type { McpRequest } from '#features/gateway/index.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';
import { namesNoProgram } from '#platform/text/client-name.ts';
import { asRecord } from '#platform/json.ts';

const clientInfoMetaKey = 'io.modelcontextprotocol/clientInfo';
/** mcp-remote tries a link under a name of its own before it opens the session of its client. */
const trialName = 'fallback-test';
/** Of a claim: the rest is not even looked at. */
export const longestClaim = 1024;

/** What the program of a request calls itself, as it came: in its session, or in the request. Only reads. */
export function claimedName({ program, body }: McpRequest): unknown {
  return program ?? asRecord(clientInfoOf(body))?.['name'];
}

/** What a request tells of its program: in `initialize`, or since 2026-07-28 in each. */
export function clientInfoOf(body: unknown): unknown {
  const message: unknown = Array.isArray(body) ? body[0] : body;
  const params = asRecord(asRecord(message)?.['params']);
  return params?.['clientInfo'] ?? asRecord(params?.['_meta'])?.[clientInfoMetaKey];
}

/**
 * The name by which a program with a personal token is told from others with the same user agent: none where the user
 * agent names it. It is a claim of the program.
 */
export function programName(userAgent: string, claimed: unknown): string {
  if (typeof claimed !== 'string' || !namesNoProgram(userAgent)) return '';
  const name = cleanLabel(claimed.slice(0, longestClaim));
  return name.includes(trialName) ? '' : name;
}
