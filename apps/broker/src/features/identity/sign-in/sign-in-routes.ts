import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { mcpScopes } from '@souk/contract/identity.ts';
import { UpstreamRefusedError, type UpstreamProfile } from '#adapters/google/google-sign-in.ts';
import { SoukError } from '#platform/errors.ts';
import { sendPage } from '#platform/http/page.ts';
import { frontendClientId } from '../oauth/resources.ts';
import { renderMessagePage } from '../pages/message-page.ts';
import { readReturnTo } from './return-to.ts';
import type { Pending } from './pending-cookie.ts';
import type { SignInContext } from './sign-in-context.ts';
import { startSession } from './start-session.ts';

/** Providers that the specification names; only Google is wired. */
const unwired: Record<string, string> = { github: 'GitHub', facebook: 'Facebook', apple: 'Apple' };

const loginSchema = z.object({
  return_to: z.string(),
  state: z.string().min(1).max(200),
  code_challenge: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
});

/** The entry points that the specification names (part 1, section 7) and the way back from the provider. */
export function mountSignInRoutes(app: FastifyInstance, context: SignInContext): void {
  const { provider, publicUrl, brandName } = context;

  /** The web app's way in: its PKCE challenge and state become an authorization request of the client `frontend`. */
  app.get('/login', (request, reply) => {
    const query = loginSchema.safeParse(request.query);
    if (!query.success || readReturnTo(query.data.return_to, publicUrl) !== `${publicUrl}/auth/callback`) {
      return refuse(
        reply,
        400,
        'A sign-in starts with return_to (the callback of this site), state and code_challenge.',
      );
    }
    const url = new URL(`${publicUrl}/oauth/authorize`);
    url.search = new URLSearchParams({
      client_id: frontendClientId,
      response_type: 'code',
      redirect_uri: `${publicUrl}/auth/callback`,
      scope: mcpScopes.join(' '),
      resource: context.resources.api,
      state: query.data.state,
      code_challenge: query.data.code_challenge,
      code_challenge_method: 'S256',
    }).toString();
    return reply.redirect(url.href, 303);
  });

  app.get<{ Params: { provider: string }; Querystring: Record<string, unknown> }>(
    '/auth/:provider',
    (request, reply) => {
      const name = unwired[request.params.provider];
      if (name !== undefined)
        throw new SoukError('not_implemented', { message: `${name} sign-in is not yet implemented` });
      if (request.params.provider !== 'google') throw new SoukError('not_found');
      const returnTo = readReturnTo(request.query['return_to'] ?? '/auth/success', publicUrl);
      if (returnTo === undefined) {
        throw new SoukError('invalid_request', { message: 'return_to must be a callback of this site' });
      }
      return context.startUpstream(request, reply, { returnTo });
    },
  );

  app.get('/auth/google/callback', async (request, reply) => {
    const pending = await context.pending.take(request, reply);
    if (!pending)
      return refuse(reply, 400, 'This sign-in has expired or was started in another browser. Please start again.');
    const profile = await redeem(request, pending);
    if (profile === 'denied') return deny(reply, pending);
    if (profile === 'failed')
      return refuse(reply, 400, 'The answer of the sign-in provider is not valid. Please start again.');
    if (!profile.emailVerified) return refuse(reply, 403, 'This account has no verified e-mail address.');

    const user = await context.users.signIn(profile, context.clock.now());
    if (!user) return refuse(reply, 403, 'This account has been deactivated.');
    if (pending.interaction !== undefined) return resume(reply, pending.interaction, pending.allowed === true, user.id);
    await startSession(provider, request, reply, user.id);
    return reply.redirect(pending.returnTo ?? publicUrl, 303);
  });

  async function redeem(request: FastifyRequest, pending: Pending): Promise<UpstreamProfile | 'denied' | 'failed'> {
    try {
      return await context.upstream.finish(new URL(request.raw.url ?? '/', publicUrl), pending);
    } catch (error) {
      if (error instanceof UpstreamRefusedError && error.error === 'access_denied') return 'denied';
      // The cause may quote the provider's answer; its message does not carry codes or tokens.
      context.log.warn({ reason: error instanceof Error ? error.message : 'unknown' }, 'a sign-in was refused');
      return 'failed';
    }
  }

  /** Writes the result into the interaction and goes on with the authorization request that waited for it. */
  async function resume(reply: FastifyReply, uid: string, allowed: boolean, accountId: string) {
    const interaction = await provider.Interaction.find(uid);
    if (!interaction) return refuse(reply, 400, 'This sign-in has expired. Please start again.');
    const consent = allowed ? { consent: { grantId: await context.grantConsent(interaction, accountId) } } : {};
    interaction.result = { login: { accountId, amr: ['fed'] }, ...consent };
    await interaction.persist();
    return reply.redirect(interaction.returnTo, 303);
  }

  /** The person turned back at the provider: the client hears access_denied rather than nothing. */
  async function deny(reply: FastifyReply, pending: Pending) {
    const interaction =
      pending.interaction === undefined ? undefined : await provider.Interaction.find(pending.interaction);
    if (!interaction) return reply.redirect(publicUrl, 303);
    interaction.result = { error: 'access_denied', error_description: 'the person did not sign in' };
    await interaction.persist();
    return reply.redirect(interaction.returnTo, 303);
  }

  function refuse(reply: FastifyReply, status: number, text: string) {
    return sendPage(reply, status, renderMessagePage({ brandName, title: 'Sign-in did not work', text }));
  }
}
