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
