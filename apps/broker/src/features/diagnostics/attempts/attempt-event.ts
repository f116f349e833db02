import type { ConnectionStep } from '@souk/contract/diagnostics.ts';
import type { FailureFacts, FailureReason } from './describe-failure.ts';

export type Failure = { step: ConnectionStep; reason: FailureReason; facts?: FailureFacts };

/** What was seen of one connection attempt at one moment. */
export type AttemptEvent = {
  /** Names the attempt: one of `attemptKey`. */
  key: string;
  /** The key that the attempt had until now: a sign-in becomes a token's, a program tells its name. */
  formerKey?: string;
  /** Of a token's program that did not say its name: of those that did, the newest is taken to be it. */
  isUnnamed?: boolean;
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

/** Before the name of a program in a key: no user agent has it. */
export const programMark = '\n';

/** Takes what was seen, and returns at once. */
export type RecordEvent = (event: AttemptEvent) => void;

/** Keys of attempts: an attempt is a sign-in under way, then what comes of its token. */
export const attemptKey = {
  /** `signInId` names one authorization request through all of its pages; no secret. */
  signIn: (signInId: string) => `sign-in:${signInId}`,
  /** Access tokens are renewed; their grant is what stays. */
  grant: (grantId: string) => `grant:${grantId}`,
  /** Several programs may share a personal token: each is an attempt of its own. `program` as it names itself. */
  personalToken: (tokenId: string, userAgent: string, program = '') =>
    `personal:${tokenId}:${userAgent}${program === '' ? '' : programMark + program}`,
  /** Refused before a sign-in began: the same mistake again is the same attempt. */
  refused: (userId: string, clientId: string, reason: string) => `refused:${userId}:${clientId}:${reason}`,
};

/** Whose attempt it is, of a program with a personal token. @param program '' where it did not say its name */
export function identifyProgram(
  { userId, tokenId }: { userId: string; tokenId: string },
  userAgent: string,
  program = '',
) {
  const unnamed = attemptKey.personalToken(tokenId, userAgent);
  if (program === '') return { key: unnamed, userId, userAgent, isUnnamed: true };
  const key = attemptKey.personalToken(tokenId, userAgent, program);
  return { key, formerKey: unnamed, userId, userAgent, clientName: program };
}
