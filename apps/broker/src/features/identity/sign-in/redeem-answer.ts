import type { FastifyRequest } from 'fastify';
import { UpstreamRefusedError, type UpstreamProfile } from '#adapters/openid/openid-sign-in.ts';
import type { Pending } from './pending-cookie.ts';
import { unreachableText } from './refuse-sign-in.ts';
import type { SignInContext } from './sign-in-context.ts';
import type { SignInProvider } from './sign-in-providers.ts';

export const invalidText = 'The answer of the sign-in provider is not valid. Please start again.';

type Failure = { status: number; text: string };

export async function redeemAnswer(
  { publicUrl, log }: SignInContext,
  { id, name, upstream }: SignInProvider,
  request: FastifyRequest,
  pending: Pending,
): Promise<UpstreamProfile | 'denied' | Failure> {
  try {
    return await upstream.finish(new URL(request.raw.url ?? '/', publicUrl), pending);
  } catch (error) {
    if (error instanceof UpstreamRefusedError && error.error === 'access_denied') return 'denied';
    const skewSeconds = Math.round(upstream.clockSkewMs() / 1000);
    const skewed = Math.abs(skewSeconds) > 60;
    // the cause may quote the provider's answer; its message contains no codes or tokens
    const reason = error instanceof Error ? error.message : 'unknown';
    log.warn({ provider: id, reason, ...(skewed && { skewSeconds }) }, 'a sign-in was refused');
    if (isUnreachable(error)) return { status: 503, text: unreachableText(name) };
    const hint = skewed
      ? ` The clocks of this server and of ${name} are ${Math.abs(skewSeconds)} seconds apart: the operator of this server should check its clock.`
      : '';
    return { status: 400, text: `${invalidText}${hint}` };
  }
}

export function isVerified(
  { log }: SignInContext,
  { id: provider, trustEmail }: SignInProvider,
  { emailVerified }: UpstreamProfile,
): boolean {
  if (emailVerified !== undefined) return emailVerified;
  if (trustEmail) return true;
  log.warn(
    { provider },
    'the sign-in provider does not say whether an e-mail address is verified: set OIDC_TRUST_EMAIL=1 if all its addresses are verified',
  );
  return false;
}

/** Whether there was no answer, or none from an OpenID provider: a gateway's HTML page, a 5xx. */
function isUnreachable(error: unknown): boolean {
  for (
    let cause = error;
    typeof cause === 'object' && cause !== null;
    cause = 'cause' in cause ? cause.cause : undefined
  ) {
    if ('code' in cause && (cause.code === 'OAUTH_TIMEOUT' || cause.code === 'ECONNREFUSED')) return true;
    // openid-client sets the answer itself as the cause
    if (cause instanceof TypeError && cause.message === 'fetch failed') return true;
    if ('status' in cause && typeof cause.status === 'number' && cause.status >= 500) return true;
  }
  return false;
}
