import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { UpstreamRefusedError, type UpstreamProfile } from '#adapters/openid/openid-sign-in.ts';
import type { SignInOutcome } from '@souk/contract/admin/person.ts';
import { sendPage } from '#platform/http/answers/page.ts';
import { nameBrowser } from '../oauth/connected-apps/name-browser.ts';
import { renderMessagePage, signInAgain } from '../pages/message-page.ts';
import { renderNotAllowedPage, type SignInAnew } from '../pages/not-allowed-page.ts';
import { expiredWords } from '../pages/oauth-error-page.ts';
import { providerIdOf } from '../users/user-provider.ts';
import type { User } from '../users/user-store.ts';
import type { Pending } from './pending-cookie.ts';
import { recentSignInMs } from '../authentication/require-recent-sign-in.ts';
import { pageOnFailure, unreachableText } from './refuse-sign-in.ts';
import type { SignInContext } from './sign-in-context.ts';
import { callbackPath, type SignInProvider } from './sign-in-providers.ts';
import { startSession } from './start-session.ts';

/** A state that is missing or stands twice is of no sign-in. */
const querySchema = z.object({ state: z.string().optional().catch(undefined) });

const invalidText = 'The answer of the sign-in provider is not valid. Please start again.';

type Failure = { status: number; text: string };

/** The way back from the provider: who is it, may they come in, and what were they about to do. */
export function mountProviderCallback(app: FastifyInstance, context: SignInContext): void {
  const { provider, publicUrl, brandName } = context;
  // the provider's answer is good once
  const errorHandler = pageOnFailure(brandName, { mayRepeat: false });
  for (const from of context.providers.all) {
    app.get(callbackPath(from.id), { errorHandler }, (request, reply) => finish(from, request, reply));
  }

  async function finish(from: SignInProvider, request: FastifyRequest, reply: FastifyReply) {
    const { state = '' } = querySchema.parse(request.query);
    const pending = await context.pending.take(request, reply, callbackPath(from.id), state);
    if (pending?.provider !== from.id) {
      return refuse(reply, 400, context.pending.isWaiting(request) ? invalidText : expiredWords.text);
    }
    const found = await redeem(from, request, pending);
    if (found === 'denied') return deny(reply, pending);
    if ('status' in found) return refuse(reply, found.status, found.text);
    if (!isVerified(from, found)) {
      context.logRefusal(from.id, 'the e-mail address is not verified');
      return refuse(reply, 403, 'This account has no verified e-mail address.');
    }
    if (!context.users.maySignIn(found.email)) {
      context.logRefusal(from.id, 'SIGN_IN_ALLOW does not name the e-mail address');
      await note(from, request, found, 'not_allowed');
      return refuseAccount(reply, from, found.email, pending, 'not_allowed');
    }

    const user = await context.users.signIn(from.storedAs, found, context.clock.now());
    if (!user) {
      context.logRefusal(from.id, 'the account is deactivated');
      await note(from, request, found, 'deactivated');
      return refuseAccount(reply, from, found.email, pending, 'deactivated');
    }
    // A provider that knows the browser may send a person on without asking: it then says when it asked last.
    const signedInAtMs = Math.min(found.authenticatedAtMs ?? Infinity, context.clock.now());
    const refusal = refuseAgain(from, user, signedInAtMs, pending);
    await note(from, request, found, refusal?.outcome ?? 'signed_in');
    if (refusal) return refuse(reply, 403, refusal.text);
    context.log.info({ provider: providerIdOf(from.storedAs), userId: user.id }, 'signed in');
    const signIn = { accountId: user.id, signedInAtMs };
    if (pending.interaction !== undefined) return resume(reply, pending.interaction, pending.allowed === true, signIn);
    const sessionUid = await startSession(provider, request, reply, user.id, signedInAtMs);
    return reply.redirect(await addressAfter(reply, pending, user, { sessionUid, signedInAtMs }), 303);
  }

  function note(
    { storedAs: provider }: SignInProvider,
    { ip: address, headers }: FastifyRequest,
    { subject }: UpstreamProfile,
    outcome: SignInOutcome,
  ): Promise<void> {
    const browserName = nameBrowser(headers['user-agent']);
    return context.noteSignIn({ provider, subject, outcome, address, browserName, atMs: context.clock.now() });
  }

  /** Who signs in again must be the same person, and must have been asked. The sign-in of before stays as it is. */
  function refuseAgain(
    from: SignInProvider,
    user: User,
    signedInAtMs: number,
    { againAs }: Pending,
  ): { outcome: 'other_account' | 'not_asked'; text: string } | undefined {
    if (againAs === undefined) return undefined;
    if (user.id !== againAs) {
      const text = `You chose ${user.email}, which is not the account that you are signed in with. Close this window and sign in again with the same account.`;
      return { outcome: 'other_account', text };
    }
    if (context.clock.now() - signedInAtMs <= recentSignInMs) return undefined;
    const text = `${from.name} did not ask you to sign in again. Sign out there, close this window and try again.`;
    return { outcome: 'not_asked', text };
  }

  function isVerified(from: SignInProvider, { emailVerified }: UpstreamProfile): boolean {
    if (emailVerified !== undefined) return emailVerified;
    if (from.trustEmail) return true;
    context.log.warn(
      { provider: from.id },
      'the sign-in provider does not say whether an e-mail address is verified: set OIDC_TRUST_EMAIL=1 if all of its are',
    );
    return false;
  }

  /**
   * SIGN_IN_ALLOW does not name this address, or the account is deactivated. The provider has to ask for the account, or it
   * would send the same again.
   */
  function refuseAccount(
    reply: FastifyReply,
    from: SignInProvider,
    email: string,
    pending: Pending,
    refusal: 'not_allowed' | 'deactivated',
  ) {
    const again: SignInAnew =
      pending.interaction === undefined
        ? {
            method: 'get',
            action: `/auth/${from.id}`,
            fields: {
              ...(pending.returnTo !== undefined && { return_to: pending.returnTo, mcp_client: 'true' }),
              prompt: 'login',
            },
          }
        : {
            method: 'post',
            action: `/oauth/interaction/${pending.interaction}`,
            fields: { provider: from.id, switch: '1' },
          };
    const page = renderNotAllowedPage({ brandName, email, supportEmail: context.supportEmail, refusal, again });
    return sendPage(reply, 403, page, context.providerTargets);
  }

  /** Where a sign-in without an interaction ends; /auth/success gets its ticket, and a hint of who signed in. */
  async function addressAfter(
    reply: FastifyReply,
    pending: Pending,
    user: User,
    session: { sessionUid: string; signedInAtMs: number },
  ): Promise<string> {
    const success = `${publicUrl}/auth/success`;
    if (pending.returnTo !== success) return pending.returnTo ?? publicUrl;
    const { id, email, displayName, photoUrl } = user;
    const hint = { id, email, displayName, photoURL: photoUrl ?? null, provider: user.provider };
    const token = await context.handOff.issue(reply, user.id, session);
    return `${success}?${new URLSearchParams({ token, user: JSON.stringify(hint) }).toString()}`;
  }

  async function redeem(
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
      // The cause may quote the provider's answer; its message does not carry codes or tokens.
      const reason = error instanceof Error ? error.message : 'unknown';
      context.log.warn({ provider: id, reason, ...(skewed && { skewSeconds }) }, 'a sign-in was refused');
      if (isUnreachable(error)) return { status: 503, text: unreachableText(name) };
      const hint = skewed
        ? ` The clocks of this server and of ${name} are ${Math.abs(skewSeconds)} seconds apart: its operator should set it right.`
        : '';
      return { status: 400, text: `${invalidText}${hint}` };
    }
  }

  /** Writes the result into the interaction and goes on with the authorization request that waited for it. */
  async function resume(
    reply: FastifyReply,
    uid: string,
    allowed: boolean,
    { accountId, signedInAtMs }: { accountId: string; signedInAtMs: number },
  ) {
    const interaction = await provider.Interaction.find(uid);
    if (!interaction) return refuse(reply, 400, expiredWords.text);
    const consent = allowed ? { consent: { grantId: await context.grantConsent(interaction, accountId) } } : {};
    const ts = Math.floor(signedInAtMs / 1000);
    interaction.result = { login: { accountId, amr: ['fed'], ts }, ...consent };
    await interaction.persist();
    return reply.redirect(interaction.returnTo, 303);
  }

  /** The user cancelled at the provider: the client gets access_denied. */
  async function deny(reply: FastifyReply, pending: Pending) {
    const interaction =
      pending.interaction === undefined ? undefined : await provider.Interaction.find(pending.interaction);
    if (!interaction) return reply.redirect(publicUrl, 303);
    interaction.result = { error: 'access_denied', error_description: 'the user did not sign in' };
    await interaction.persist();
    return reply.redirect(interaction.returnTo, 303);
  }

  function refuse(reply: FastifyReply, status: number, text: string) {
    return sendPage(
      reply,
      status,
      renderMessagePage({
        brandName,
        title: 'Sign-in did not work',
        text,
        next: status === 403 ? undefined : signInAgain,
      }),
    );
  }
}

/** No answer, or one that does not come from an OpenID provider: a gateway's page of HTML, a 5xx. */
function isUnreachable(error: unknown): boolean {
  for (
    let cause = error;
    typeof cause === 'object' && cause !== null;
    cause = 'cause' in cause ? cause.cause : undefined
  ) {
    if ('code' in cause && (cause.code === 'OAUTH_TIMEOUT' || cause.code === 'ECONNREFUSED')) return true;
    // openid-client puts the answer itself where the cause stands
    if (cause instanceof TypeError && cause.message === 'fetch failed') return true;
    if ('status' in cause && typeof cause.status === 'number' && cause.status >= 500) return true;
  }
  return false;
}
