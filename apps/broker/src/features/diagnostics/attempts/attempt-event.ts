import type { ConnectionStep } from '@souk/contract/diagnostics.ts';
import type { FailureFacts, FailureReason } from './describe-failure.ts';

export type Failure = { step: ConnectionStep; reason: FailureReason; facts?: FailureFacts };

/** What was seen of one connection attempt at one moment. */
export type AttemptEvent = {
  /** Names the attempt: one of `attemptKey`. */
  key: string;
  /** The key that the attempt had until now: a sign-in becomes a token's. */
  formerKey?: string;
  atMs: number;
  userId?: string;
  clientId?: string;
  clientName?: string;
  /** As the client told it, shortened. */
  clientVersion?: string;
  userAgent?: string;
  era?: 'legacy' | 'modern';
  protocolVersion?: string;
  passed?: readonly ConnectionStep[];
  failure?: Failure;
};

/** Takes what was seen, and returns at once. */
export type RecordEvent = (event: AttemptEvent) => void;

/** Keys of attempts: an attempt is a sign-in under way, then what comes of its token. */
export const attemptKey = {
  /** `signInId` names one authorization request through all of its pages; no secret. */
  signIn: (signInId: string) => `sign-in:${signInId}`,
  /** Access tokens are renewed; their grant is what stays. */
  grant: (grantId: string) => `grant:${grantId}`,
  /** Several programs may share a personal token: each is an attempt of its own. */
  personalToken: (tokenId: string, userAgent: string) => `personal:${tokenId}:${userAgent}`,
  /** Refused before a sign-in began: the same mistake again is the same attempt. */
  refused: (userId: string, clientId: string, reason: string) => `refused:${userId}:${clientId}:${reason}`,
};
