import { createHash } from 'node:crypto';
import { createRequestStateCodec, ProtocolError, type ServerContext } from '@modelcontextprotocol/server';
import type { Clock } from '#platform/clock.ts';
import type { LogicalCall } from '../../call/call.ts';
import { LostCallError } from './elsewhere/lost-call.ts';

/** How long a client may take between two rounds of a call. */
export const roundTtlMs = 600_000;

/** The state that a client returns to us in the next round of a call. */
export type RoundState = {
  callId: string;
  /** The credits held for the first round: later rounds cost the same. Undefined for calls without a price. */
  credits?: number;
  answers?: number;
  /** The usage row that the next round replaces. */
  left?: NonNullable<LogicalCall['left']>;
  priceAsked?: NonNullable<LogicalCall['priceAsked']>;
} & (
  | {
      server?: string;
    }
  /** The id of a parked call, and the process where it waits. */
  | { parked: string; broker?: string }
);

/** The call that a state is bound to. It is invalid for any other user or call. */
export type BoundCall = { userId: string; link: string; method: string; name: string; arguments: unknown };

type Payload = { state: RoundState; call: string; expiresAtMs: number };

/** Signs the state that the client carries. Every replica with the same key can read it. */
export function createRequestStates(key: Uint8Array, clock: Clock) {
  // the codec's limit uses the machine's clock; our own expiry in the payload decides
  const codec = createRequestStateCodec<Payload>({ key, ttlSeconds: (2 * roundTtlMs) / 1000 });
  return {
    seal: (state: RoundState, call: BoundCall): Promise<string> =>
      codec.mint({ state, call: digest(call), expiresAtMs: clock.now() + roundTtlMs }),
    /** @throws ProtocolError -32602 for a state that was altered or is another call's or user's; LostCallError for an old one */
    async open(sealed: string, call: BoundCall, context: ServerContext): Promise<RoundState> {
      const payload = await codec.verify(sealed, context).catch(() => undefined);
      if (!payload || payload.call !== digest(call)) throw unusableState();
      if (payload.expiresAtMs < clock.now()) throw new LostCallError('over');
      return payload.state;
    },
  };
}

export function unusableState(): ProtocolError {
  return new ProtocolError(-32602, 'Invalid or expired requestState', { reason: 'invalid_request_state' });
}

function digest({ userId, link, method, name, arguments: given }: BoundCall): string {
  return createHash('sha256')
    .update(JSON.stringify([userId, link, method, name, sorted(given)]))
    .digest('base64url');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value ?? null;
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)]);
}
