import { mcpScopes } from '@souk/contract/identity.ts';
import { asRecord } from '#platform/json.ts';
import { messagesOf } from '../wire/messages-of.ts';

/** The scope that a method needs; undefined for methods that every token may use. */
export function requiredScope(method: string): string | undefined {
  if (method.startsWith('tools/')) return 'mcp:tools';
  if (method.startsWith('prompts/')) return 'mcp:prompts';
  if (method.startsWith('resources/')) return 'mcp:resources';
  return undefined;
}

/** The scopes that a client must request next: the granted ones and the missing one. Requesting one alone drops the rest. */
export function stepUpScope(granted: readonly string[], missing: string): string {
  return mcpScopes.filter((scope) => scope === missing || granted.includes(scope)).join(' ');
}

export function methodsOf(body: unknown): string[] {
  return messagesOf(body).flatMap((message) => {
    const method = asRecord(message)?.['method'];
    return typeof method === 'string' ? [method] : [];
  });
}
