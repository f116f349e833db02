import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { Clock } from '#platform/clock.ts';
import { sendPage } from '#platform/http/answers/page.ts';
import { findInteraction } from '../oauth/find-interaction.ts';
import { handOver } from '../oauth/hand-over.ts';
import { clientSchemes } from '../oauth/redirect-uri.ts';
import { renderMessagePage, signInAgain } from '../pages/message-page.ts';
import { expiredWords } from '../pages/oauth-error-page.ts';
import { renderStandInPage } from '../pages/stand-in-page.ts';
import { namedAccounts, standInEmailSchema } from './stand-in-accounts.ts';
import { createStandInProvider, mountPath, sessionCookie, type StandInParts } from './stand-in-provider.ts';

/**
 * Stands in for Google where Google's keys are not configured: a second OpenID provider under our own origin, with an
 * account page instead of a password. The rest of the product talks to it over HTTP, as to the real one.
 */
export function createStandIn(parts: StandInParts & { brandName: string; clock: Clock }) {
  const { publicUrl, brandName } = parts;
  const provider = createStandInProvider(parts);
  const handle = provider.callback();

  const addressOf = (uid: string) => `${mountPath}/choose/${uid}`;

  function sendChoice(reply: FastifyReply, uid: string, problem?: string) {
    const shown = { brandName, action: addressOf(uid), accounts: namedAccounts };
    const page = renderStandInPage({ ...shown, ...(problem !== undefined && { problem }) });
    return sendPage(reply, problem === undefined ? 200 : 400, page, formTargets);
  }

  function sendExpired(reply: FastifyReply) {
    return sendPage(reply, 400, renderMessagePage({ brandName, ...expiredWords, next: signInAgain }));
  }

  function pass(request: FastifyRequest, reply: FastifyReply, body?: string): void {
    // no session is kept, so that each sign-in can choose another account
    request.raw.headers.cookie = withoutSession(request.raw.headers.cookie);
    const url = request.raw.url ?? '/';
    // oidc-provider derives its mount path from the difference of the two
    Object.assign(request.raw, { originalUrl: url });
    request.raw.url = url.slice(mountPath.length);
    handOver(handle, publicUrl, request, reply, body);
  }

  return {
    issuer: provider.issuer,
    mount(app: FastifyInstance): void {
      // oidc-provider would publish the keys of its start, and these change while it runs
      app.get(`${mountPath}/jwks`, () => ({ keys: parts.keys.publicKeys() }));
      app.get(addressOf(':uid'), async (request, reply) => {
        const interaction = await findInteraction(provider, request, reply);
        return interaction ? sendChoice(reply, interaction.uid) : sendExpired(reply);
      });

      app.post<{ Body: { email?: unknown } | undefined }>(addressOf(':uid'), async (request, reply) => {
        const interaction = await findInteraction(provider, request, reply);
        if (!interaction) return sendExpired(reply);
        const email = standInEmailSchema.safeParse(request.body?.email);
        if (!email.success) return sendChoice(reply, interaction.uid, 'Please type an e-mail address.');
        const returnTo = await provider.interactionResult(request.raw, reply.raw, {
          // choosing the account is signing in: there is no password
          login: { accountId: email.data, remember: false, ts: Math.floor(parts.clock.now() / 1000) },
          select_account: {},
        });
        return reply.redirect(returnTo, 303);
      });

      for (const path of ['/auth', '/auth/:uid', '/me', '/.well-known/openid-configuration']) {
        app.get(mountPath + path, (request, reply) => pass(request, reply));
      }
      app.post(`${mountPath}/token`, (request, reply) =>
        pass(request, reply, new URLSearchParams(Object.entries(request.body ?? {})).toString()),
      );
    },
  };
}

/**
 * CSP sources of the form, whose redirects end at the client that the user signs in to, which a stand-in cannot know.
 * `form-action *` covers https and http alone; other schemes have to be listed.
 */
const formTargets: readonly string[] = ['*', ...clientSchemes];

function withoutSession(cookies: string | undefined): string | undefined {
  return cookies
    ?.split('; ')
    .filter((cookie) => !cookie.startsWith(`${sessionCookie}=`) && !cookie.startsWith(`${sessionCookie}.sig=`))
    .join('; ');
}
