import type { Environment } from './environment.ts';
import { isLoopback } from './is-loopback.ts';
import { readAlertWebhook, readMail } from './mail.ts';
import { readOidc } from './oidc-config.ts';
import { readOutgoingProxy } from './outgoing-proxy.ts';
import { readPayments } from './payments.ts';
import { maySignIn, readSignInAllow, type SignInAllow } from './sign-in-allow.ts';
import { standInProblems } from './stand-in-problems.ts';

/**
 * Checks variables against each other: which go together, which exclude each other, and which production requires.
 * @param variables as the process got them
 * @param problems gets every problem
 */
export function combineVariables(env: Environment, variables: NodeJS.ProcessEnv, problems: string[]) {
  const production = env.NODE_ENV === 'production';
  const publicUrl = readPublicUrl(env.PUBLIC_URL ?? `http://localhost:${env.PORT}`, problems);
  const google = pair(env, 'GOOGLE_CLIENT_ID', 'GOOGLE_CLIENT_SECRET', problems);
  const oidc = readOidc(env, problems);
  const stripe = pair(env, 'STRIPE_SECRET_KEY', 'STRIPE_WEBHOOK_SECRET', problems);
  const payments = readPayments(env, { hasStripe: stripe !== undefined, production, publicUrl }, problems);
  const standIn = google === undefined && oidc === undefined;
  problems.push(
    ...standInProblems({
      production,
      publicUrl,
      hasProvider: !standIn,
      allowDevSignIn: env.ALLOW_DEV_SIGN_IN,
      knowsAnyoneCanSignIn: env.I_KNOW_ANYONE_CAN_SIGN_IN,
    }),
  );
  if (production && publicUrl.protocol !== 'https:') problems.push('PUBLIC_URL must be https in production');
  if (production && !env.MASTER_KEY) problems.push('MASTER_KEY (or MASTER_KEY_FILE) must be set in production');
  if (env.METRICS_PORT === env.PORT) problems.push('METRICS_PORT must be another port than PORT');
  if (
    (env.STDIO ?? (production ? 'off' : 'allowlist')) === 'allowlist' &&
    env.PERSONAL_MEMORY_MB < env.PROGRAM_MEMORY_MB
  ) {
    problems.push(
      `PERSONAL_MEMORY_MB (${env.PERSONAL_MEMORY_MB}) must be at least PROGRAM_MEMORY_MB (${env.PROGRAM_MEMORY_MB}): one program of a user may take that much`,
    );
  }
  const signInAllow = readAllow(env.SIGN_IN_ALLOW, variables, problems);
  for (const admin of env.ADMIN_EMAILS) {
    if (!maySignIn(signInAllow, admin)) problems.push(`ADMIN_EMAILS: SIGN_IN_ALLOW does not let ${admin} in`);
  }
  return {
    production,
    publicUrl,
    google: google && { clientId: google[0], clientSecret: google[1] },
    oidc,
    standIn,
    signInAllow,
    outgoingProxy: readOutgoingProxy(env, problems),
    clientDocuments: {
      advertised: env.CLIENT_DOCUMENTS === 'on' || (env.CLIENT_DOCUMENTS === 'auto' && !isLoopback(publicUrl)),
      served: env.CLIENT_DOCUMENTS !== 'off',
    },
    mail: readMail(env, { standIn, production }, problems),
    alertWebhook: readAlertWebhook(env, problems),
    payments,
    stripe: payments === 'stripe' && stripe ? { secretKey: stripe[0], webhookSecret: stripe[1] } : undefined,
  };
}

/** Reports a list that is set but empty, which must not open the shop to everyone. */
function readAllow(
  entries: readonly string[],
  environment: NodeJS.ProcessEnv,
  problems: string[],
): SignInAllow | undefined {
  if (entries.length > 0) return readSignInAllow(entries, problems);
  if ((environment['SIGN_IN_ALLOW'] ?? '').trim() !== '') problems.push('SIGN_IN_ALLOW lists no user');
  return undefined;
}

function readPublicUrl(text: string, problems: string[]): URL {
  const url = URL.parse(text);
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    problems.push('PUBLIC_URL must be an http or https address');
    return new URL('http://localhost');
  }
  if (url.pathname !== '/' || url.search !== '' || url.hash !== '' || url.username !== '') {
    problems.push('PUBLIC_URL must be an origin: scheme, host and port, without a path');
  }
  return url;
}

type PairedName = 'GOOGLE_CLIENT_ID' | 'GOOGLE_CLIENT_SECRET' | 'STRIPE_SECRET_KEY' | 'STRIPE_WEBHOOK_SECRET';

function pair(
  env: Environment,
  nameA: PairedName,
  nameB: PairedName,
  problems: string[],
): [string, string] | undefined {
  const { [nameA]: a, [nameB]: b } = env;
  if (a && b) return [a, b];
  if (a || b) problems.push(`${a ? nameB : nameA} is missing: ${nameA} and ${nameB} go together`);
  return undefined;
}
