import { mcpScopes } from '@souk/contract/identity.ts';
import { asRecord } from '#platform/json.ts';

/** The scope that a method needs; undefined for those that every token may use. */
export function requiredScope(method: string): string | undefined {
  if (method.startsWith('tools/')) return 'mcp:tools';
  if (method.startsWith('prompts/')) return 'mcp:prompts';
  if (method.startsWith('resources/')) return 'mcp:resources';
  return undefined;
}

/** The scopes that a client must request next: those it has and the missing one. Requesting one alone would drop the rest. */
export function stepUpScope(held: readonly string[], missing: string): string {
  return mcpScopes.filter((scope) => scope === missing || held.includes(scope)).join(' ');
}

/** The methods in a body: a single message, or a batch (2025-03-26). */
export function methodsOf(body: unknown): string[] {
  const messages: unknown[] = Array.isArray(body) ? body : [body];
  return messages.flatMap((message) => {
    const method = asRecord(message)?.['method'];
    return typeof method === 'string' ? [method] : [];
  });
}
