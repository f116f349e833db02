import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import type { UpstreamProfile } from '#adapters/openid/openid-sign-in.ts';
import type { SignInOutcome } from '@souk/contract/admin/person.ts';
import { sendPage } from '#platform/http/answers/page.ts';
import { nameBrowser } from '../oauth/connected-apps/name-browser.ts';
import { renderMessagePage, signInAgain } from '../pages/message-page.ts';
import { renderNotAllowedPage, type SignInAnew } from '../pages/not-allowed-page.ts';
import { expiredWords } from '../pages/oauth-error-page.ts';
import { providerIdOf } from '../users/user-provider.ts';
import { continueAfterSignIn, type SignedIn } from './after-sign-in.ts';
import type { Pending } from './pending-cookie.ts';
import { recentSignInMs } from '../authentication/require-recent-sign-in.ts';
import { invalidText, isVerified, redeemAnswer } from './redeem-answer.ts';
import { pageOnFailure } from './refuse-sign-in.ts';
import type { SignInContext } from './sign-in-context.ts';
import { callbackPath, type SignInProvider } from './sign-in-providers.ts';

/** A missing or repeated state belongs to no sign-in. */
const querySchema = z.object({ state: z.string().optional().catch(undefined) });

type Return = { context: SignInContext; from: SignInProvider; request: FastifyRequest; reply: FastifyReply };

/** Mounts the callbacks of the providers: who is the user, may they sign in, and what were they about to do. */
export function mountProviderCallback(app: FastifyInstance, context: SignInContext): void {
  // the provider's answer works once
  const errorHandler = pageOnFailure(context.brandName, { mayRepeat: false });
  for (const from of context.providers.all) {
    app.get(callbackPath(from.id), { errorHandler }, (request, reply) => finish({ context, from, request, reply }));
  }
}

async function finish(back: Return) {
  const { context, from, request, reply } = back;
  const { state = '' } = querySchema.parse(request.query);
  const pending = await context.pending.take(request, reply, callbackPath(from.id), state);
  if (pending?.provider !== from.id) {
    return refuse(back, 400, context.pending.isWaiting(request) ? invalidText : expiredWords.text);
  }
  const found = await redeemAnswer(context, from, request, pending);
  if (found === 'denied') return deny(back, pending);
  if ('status' in found) return refuse(back, found.status, found.text);
  if (!isVerified(context, from, found)) {
    context.logRefusal(from.id, 'the e-mail address is not verified');
    return refuse(back, 403, 'This account has no verified e-mail address.');
  }
  if (!context.users.maySignIn(found.email)) {
    context.logRefusal(from.id, 'SIGN_IN_ALLOW does not name the e-mail address');
    await recordOutcome(back, found, 'not_allowed');
    return refuseAccount(back, found.email, pending, 'not_allowed');
  }

  const user = await context.users.signIn(from.storedAs, found, context.clock.now());
  if (!user) {
    context.logRefusal(from.id, 'the account is deactivated');
    await recordOutcome(back, found, 'deactivated');
    return refuseAccount(back, found.email, pending, 'deactivated');
  }
  // a provider that knows the browser may let the user through without asking: it then says when it last asked
  const signedInAtMs = Math.min(found.authenticatedAtMs ?? Infinity, context.clock.now());
  const signedIn = { user, signedInAtMs };
  const refusal = refuseAgain(back, signedIn, pending);
  await recordOutcome(back, found, refusal?.outcome ?? 'signed_in');
  if (refusal) return refuse(back, 403, refusal.text);
  context.log.info({ provider: providerIdOf(from.storedAs), userId: user.id }, 'signed in');
  const address = await continueAfterSignIn(context, signedIn, pending, request, reply);
  return address === undefined ? refuse(back, 400, expiredWords.text) : reply.redirect(address, 303);
}

function recordOutcome(
  { context, from, request }: Return,
  { subject }: UpstreamProfile,
  outcome: SignInOutcome,
): Promise<void> {
  const browserName = nameBrowser(request.headers['user-agent']);
  const { storedAs: provider } = from;
  const atMs = context.clock.now();
  return context.recordSignIn({ provider, subject, outcome, address: request.ip, browserName, atMs });
}

/** A user who signs in again must be the same, and must have been asked. The earlier sign-in is not affected. */
function refuseAgain(
  { context, from }: Return,
  { user, signedInAtMs }: SignedIn,
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

/** Offers another account. The provider has to ask for it, or it would send the same one again. */
function refuseAccount(
  { context, from, reply }: Return,
  email: string,
  { interaction, returnTo }: Pending,
  refusal: 'not_allowed' | 'deactivated',
) {
  const { brandName, supportEmail } = context;
  const again: SignInAnew =
    interaction === undefined
      ? {
          method: 'get',
          action: `/auth/${from.id}`,
          fields: { ...(returnTo !== undefined && { return_to: returnTo, mcp_client: 'true' }), prompt: 'login' },
        }
      : {
          method: 'post',
          action: `/oauth/interaction/${interaction}`,
          fields: { provider: from.id, switch: '1' },
        };
  const page = renderNotAllowedPage({ brandName, email, supportEmail, refusal, again });
  return sendPage(reply, 403, page, context.providerTargets);
}

/** The user cancelled at the provider: the client gets access_denied. */
async function deny({ context, reply }: Return, pending: Pending) {
  const interaction =
    pending.interaction === undefined ? undefined : await context.provider.Interaction.find(pending.interaction);
  if (!interaction) return reply.redirect(context.publicUrl, 303);
  interaction.result = { error: 'access_denied', error_description: 'the user did not sign in' };
  await interaction.persist();
  return reply.redirect(interaction.returnTo, 303);
}

function refuse({ context: { brandName }, reply }: Return, status: number, text: string) {
  const next = status === 403 ? undefined : signInAgain;
  return sendPage(reply, status, renderMessagePage({ brandName, title: 'Sign-in did not work', text, next }));
}
