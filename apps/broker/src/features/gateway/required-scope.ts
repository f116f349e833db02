import { mcpScopes } from '@souk/contract/identity.ts';

/** The scope that a method needs; undefined for those that every token may use. */
export function requiredScope(method: string): string | undefined {
  if (method.startsWith('tools/')) return 'mcp:tools';
  if (method.startsWith('prompts/')) return 'mcp:prompts';
  if (method.startsWith('resources/')) return 'mcp:resources';
  return undefined;
}

/** What a client is to ask for next: what it holds and what it lacks. Asking for the one alone would take the others away. */
export function stepUpScope(held: readonly string[], missing: string): string {
  return mcpScopes.filter((scope) => scope === missing || held.includes(scope)).join(' ');
}

/** Methods of a body: a single message, or a batch of them (2025-03-26). */
export function methodsOf(body: unknown): string[] {
  const messages = Array.isArray(body) ? body : [body];
  return messages.flatMap((message: unknown) =>
    typeof message === 'object' && message !== null && 'method' in message && typeof message.method === 'string'
      ? [message.method]
      : [],
  );
}
