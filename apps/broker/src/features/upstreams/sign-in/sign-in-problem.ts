import { UpstreamError } from '#adapters/mcp/upstream-error.ts';

/** Why a sign-in at a server is not possible. The message may be shown to users; the cause is for the log. */
export class SignInProblem extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'SignInProblem';
  }
}

/** The server issued unusable tokens, and would do so again. */
export class UnusableTokens extends SignInProblem {}

/** An address is unreachable, late, or has no metadata. Another one may have it. */
export class NoAnswer extends SignInProblem {}

/** Returns a plain reason for the user; undefined for an unexpected error. */
export function plainReason(error: unknown): string | undefined {
  if (error instanceof SignInProblem) return error.message;
  return error instanceof UpstreamError ? 'it is not running' : undefined;
}
