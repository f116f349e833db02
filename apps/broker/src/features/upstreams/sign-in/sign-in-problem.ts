/** Why a sign-in at a server is not possible. The message may be shown to people; the cause is for the log. */
export class SignInProblem extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'SignInProblem';
  }
}

/** The server issued what nobody can use, and would do so again. */
export class UnusableTokens extends SignInProblem {}

/** A place that was asked has nothing to say: it is unreachable, late, or has no metadata. Another one may have. */
export class NoAnswer extends SignInProblem {}
