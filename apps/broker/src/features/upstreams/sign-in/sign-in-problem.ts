import { UpstreamError } from '#adapters/mcp/upstream-error.ts';

/** Thrown when a sign-in at a server is not possible. The message may be shown to users; the cause is for the log. */
export class SignInProblem extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'SignInProblem';
  }
}

/** Thrown when the server issued unusable tokens, and would do so again. */
export class UnusableTokens extends SignInProblem {}

/** Thrown when an address is unreachable, too slow, or has no metadata. Another address may have it. */
export class NoAnswer extends SignInProblem {}

/** Returns a plain reason for the user; undefined for an unexpected error. */
export function plainReason(error: unknown): string | undefined {
  if (error instanceof SignInProblem) return error.message;
  return error instanceof UpstreamError ? 'it is not running' : undefined;
}
