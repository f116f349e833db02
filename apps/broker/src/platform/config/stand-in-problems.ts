import { isLoopback } from './is-loopback.ts';

/** Says why the stand-in for sign-in, with which anyone can sign in as anyone, must not run in this configuration. */
export function standInProblems(given: {
  production: boolean;
  publicUrl: URL;
  /** Whether Google or another provider is configured, so that the stand-in does not run. */
  hasProvider: boolean;
  allowDevSignIn: boolean;
  knowsAnyoneCanSignIn: boolean;
}): string[] {
  const problems: string[] = [];
  const standIn = !given.hasProvider && !given.allowDevSignIn;
  const keys = 'set GOOGLE_CLIENT_ID and GOOGLE_CLIENT_SECRET, or OIDC_ISSUER, OIDC_CLIENT_ID and OIDC_CLIENT_SECRET';
  if (standIn && !isLoopback(given.publicUrl)) {
    problems.push(
      `PUBLIC_URL is not loopback, so the stand-in for sign-in is refused: ${keys} (or ALLOW_DEV_SIGN_IN=1 to allow it)`,
    );
  } else if (standIn && given.production) {
    // a proxy on the same machine can make a loopback address public
    problems.push(`The stand-in for sign-in is refused in production, at a loopback PUBLIC_URL too: ${keys}`);
  }
  if (given.production && given.allowDevSignIn && !given.knowsAnyoneCanSignIn) {
    problems.push(
      'ALLOW_DEV_SIGN_IN=1 lets anyone sign in as anyone, so it is refused in production: remove it (or set I_KNOW_ANYONE_CAN_SIGN_IN=1 to allow it)',
    );
  }
  return problems;
}
