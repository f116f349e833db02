import type { ConnectionStep } from '@souk/contract/diagnostics.ts';
import type { FailureFacts, FailureReason } from './describe-failure.ts';

export type Failure = { step: ConnectionStep; reason: FailureReason; facts?: FailureFacts };

export type AttemptEvent = {
  /** Identifies the attempt: one of `attemptKey`. */
  key: string;
  /** The attempt's previous key: a sign-in got its token, or a program gave its name. */
  formerKey?: string;
  /** Whether the program did not give its name: then the token's newest named program counts. */
  isUnnamed?: boolean;
  atMs: number;
  userId?: string;
  clientId?: string;
  clientName?: string;
  clientVersion?: string;
  userAgent?: string;
  era?: 'legacy' | 'modern';
  protocolVersion?: string;
  passed?: readonly ConnectionStep[];
  failure?: Failure;
};

/** Precedes the name of a program in a key. No user agent contains it. */
export const programMark = '\n';

export type RecordEvent = (event: AttemptEvent) => void;

/** Keys of attempts: an attempt is a running sign-in, then its token. */
export const attemptKey = {
  /** `signInId` identifies one authorization request through all of its pages. It is not secret. */
  signIn: (signInId: string) => `sign-in:${signInId}`,
  /** Access tokens are renewed, but their grant stays. */
  grant: (grantId: string) => `grant:${grantId}`,
  /** Several programs may share a personal token: each has its own attempt. @param program the name that it gave */
  personalToken: (tokenId: string, userAgent: string, program = '') =>
    `personal:${tokenId}:${userAgent}${program === '' ? '' : programMark + program}`,
  /** Refused before a sign-in began. The same mistake again is the same attempt. */
  refused: (userId: string, clientId: string, reason: string) => `refused:${userId}:${clientId}:${reason}`,
};

/** Identifies the attempt of a program with a personal token. @param program '' if it did not give its name */
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
