import type { Found } from '../person.ts';

/**
 * A tools/call that can go the plain way: whole, well-formed, from a client that cannot be asked anything in between.
 * Every other request goes the SDK's way, which also knows the answer to each thing that can be wrong with one.
 */
export type PlainCall = {
  era: 'modern' | 'legacy';
  id: string | number;
  tool: Found;
  arguments: unknown;
  /** `_meta` without what belongs to this hop alone. */
  meta: Record<string, unknown>;
  progressToken: string | number | undefined;
  /** Modern clients say with each request what they can do. */
  clientCapabilities: Record<string, unknown> | undefined;
};
