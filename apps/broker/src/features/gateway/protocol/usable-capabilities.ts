import type { ClientCapabilities } from '@modelcontextprotocol/server';
import { faultOf, type ClientInfo } from './failing-clients.ts';
import { modernRevision } from './modern-revision.ts';

/** The revision that introduced pages to open, and -32042. */
const pagesRevision = '2025-11-25';

/**
 * Returns the capabilities that a client declared, without those that its revision does not have or that are known to fail
 * in this client.
 * @param revision the negotiated one; undefined before the negotiation
 */
export function usableCapabilities(
  declared: ClientCapabilities | undefined,
  client: ClientInfo | undefined,
  revision: string | undefined,
): ClientCapabilities | undefined {
  if (!declared) return undefined;
  const fault = faultOf(client);
  const isModern = revision !== undefined && revision >= modernRevision;
  if (fault === 'input_required' && isModern) {
    const { elicitation: _, sampling: _sampling, roots: _roots, ...rest } = declared;
    return rest;
  }
  const hasPages = revision !== undefined && revision >= pagesRevision && fault !== 'pages';
  return hasPages ? declared : withoutPages(declared);
}

/** Removes elicitation as a whole from a client that can only open pages: `elicitation: {}` would mean forms. */
function withoutPages(capabilities: ClientCapabilities): ClientCapabilities {
  if (!capabilities.elicitation?.url) return capabilities;
  const { elicitation, ...rest } = capabilities;
  return elicitation.form ? { ...rest, elicitation: { form: elicitation.form } } : rest;
}

/** Whether a server may ask this client during a call or require another round. */
export function canBeAsked(capabilities: ClientCapabilities | undefined): boolean {
  if (!capabilities) return false;
  return 'elicitation' in capabilities || 'sampling' in capabilities || 'roots' in capabilities;
}
