/** Why a sign-in at a server cannot be had. The message is plain and may be shown; the cause is for the log. */
export class SignInProblem extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'SignInProblem';
  }
}
