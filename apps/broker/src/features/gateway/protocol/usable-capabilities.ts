import type { ClientCapabilities } from '@modelcontextprotocol/server';
import { faultOf, type ClientInfo } from './failing-clients.ts';
import { modernRevision } from './modern-revision.ts';

/** The revision that brought pages to open, and -32042. */
const pagesRevision = '2025-11-25';

/**
 * What a client can be asked: what it declared, without what its revision does not have and what is known to fail at it.
 * @param revision the negotiated one; undefined before it is
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

/** A client that can only open pages can be asked nothing then; `elicitation: {}` would mean forms. */
function withoutPages(capabilities: ClientCapabilities): ClientCapabilities {
  if (!capabilities.elicitation?.url) return capabilities;
  const { elicitation, ...rest } = capabilities;
  return elicitation.form ? { ...rest, elicitation: { form: elicitation.form } } : rest;
}
