import type { McpRequest } from '#features/gateway/index.ts';
import { cleanLabel } from '#platform/text/clean-label.ts';
import { namesNoProgram } from '#platform/text/client-name.ts';
import { asRecord } from '#platform/json.ts';

const clientInfoMetaKey = 'io.modelcontextprotocol/clientInfo';
/** mcp-remote tries a link under this name before it opens the session of its client. */
const trialName = 'fallback-test';
/** Characters of a claimed name that are read. */
export const longestClaim = 1024;

/** The program's name for itself, unchanged: from its session, or from the request. */
export function claimedName({ program, body }: McpRequest): unknown {
  return program ?? asRecord(clientInfoOf(body))?.['name'];
}

/** The clientInfo of a request: in `initialize`, or since 2026-07-28 in each request. */
export function clientInfoOf(body: unknown): unknown {
  const params = paramsOf(body);
  return params?.['clientInfo'] ?? asRecord(params?.['_meta'])?.[clientInfoMetaKey];
}

/** The params of a request, or of the first one of a batch. */
export function paramsOf(body: unknown): Record<string, unknown> | undefined {
  const message: unknown = Array.isArray(body) ? body[0] : body;
  return asRecord(asRecord(message)?.['params']);
}

/**
 * The name that distinguishes a program with a personal token from others with the same user agent; '' if the user agent
 * names it. It is a claim of the program.
 */
export function programName(userAgent: string, claimed: unknown): string {
  if (typeof claimed !== 'string' || !namesNoProgram(userAgent)) return '';
  const name = cleanLabel(claimed.slice(0, longestClaim));
  return name.includes(trialName) ? '' : name;
}
