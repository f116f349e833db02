import type { ClientCapabilities } from '@modelcontextprotocol/server';
import type { Found } from '../view/visible.ts';

/**
 * A tools/call that can take the fast path: complete and well-formed. Every other request goes through the SDK, which
 * also answers invalid requests.
 */
export type FastCall = {
  era: 'modern' | 'legacy';
  id: string | number;
  tool: Found;
  arguments: Record<string, unknown> | undefined;
  /** `_meta` without the keys that only concern this hop. */
  meta: Record<string, unknown>;
  progressToken: string | number | undefined;
  /** Modern clients send their capabilities with each request, legacy clients when they open their session. */
  clientCapabilities: ClientCapabilities;
  /** Whether the client can be asked questions during the call. */
  isInteractive: boolean;
};
