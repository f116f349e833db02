import type { ClientCapabilities } from '@modelcontextprotocol/server';
import type { Found } from '../person.ts';

/**
 * A tools/call that can go the plain way: whole and well-formed. Every other request goes the SDK's way, which also knows
 * the answer to each thing that can be wrong with one.
 */
export type PlainCall = {
  era: 'modern' | 'legacy';
  id: string | number;
  tool: Found;
  arguments: unknown;
  /** `_meta` without what belongs to this hop alone. */
  meta: Record<string, unknown>;
  progressToken: string | number | undefined;
  /** What the client can do: modern ones say it with each request, the others when they open their session. */
  clientCapabilities: ClientCapabilities;
  /** The client can be asked something in the middle of the call. */
  isInteractive: boolean;
};
