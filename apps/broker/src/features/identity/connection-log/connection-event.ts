import type { ConnectionStep } from '@souk/contract/connection-log.ts';
import type { FailureReason } from './describe-failure.ts';

/** Values that the words about a failure name: hosts, scopes, versions. Never a token, a code or a secret. */
export type FailureFacts = Readonly<Record<string, string>>;
export type Failure = { step: ConnectionStep; reason: FailureReason; facts?: FailureFacts };

/** What was seen of one attempt at one moment. */
export type ConnectionEvent = {
  /** Names the attempt: one of `attemptKey`. */
  key: string;
  /** The key that the attempt had until now: a sign-in becomes a token's. */
  formerKey?: string;
  atMs: number;
  userId?: string;
  clientId?: string;
  clientName?: string;
  userAgent?: string;
  era?: 'legacy' | 'modern';
  protocolVersion?: string;
  passed?: readonly ConnectionStep[];
  failure?: Failure;
  /** Of a sign-in alone: joins that this address and agent asked where to sign in (sightings.ts). */
  source?: string;
};

/** Keys of attempts: an attempt is a sign-in under way, then what comes of its token. */
export const attemptKey = {
  /** `correlationId`: oidc-provider's name for one authorization request through all of its pages; no secret. */
  signIn: (correlationId: string) => `sign-in:${correlationId}`,
  /** Access tokens are renewed; their grant is what stays. */
  grant: (grantId: string) => `grant:${grantId}`,
  /** Several programs may share a personal token: each is an attempt of its own. */
  personalToken: (tokenId: string, userAgent: string) => `personal:${tokenId}:${userAgent}`,
  /** Refused before a sign-in began: the same mistake again is the same attempt. */
  refused: (userId: string, clientId: string, reason: string) => `refused:${userId}:${clientId}:${reason}`,
};

/**
 * A name or user agent that a client gave of itself: without characters that hide or turn text around, and short.
 * What is left may still lie: the screens show it as text.
 */
export function cleanLabel(text: string | undefined, maxCharacters = 80): string {
  const shown = (text ?? '').replace(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]+/gu, ' ').replace(/\s+/g, ' ');
  return [...shown.trim()].slice(0, maxCharacters).join('');
}
