import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import type { UpstreamSignIn } from '#adapters/google/google-sign-in.ts';
import type { Clock } from '#platform/clock.ts';
import { SoukError } from '#platform/errors.ts';
import type { Log } from '#platform/log.ts';
import { sendPage } from '#platform/http/page.ts';
import type { Resources } from '../oauth/resources.ts';
import { renderMessagePage } from '../pages/message-page.ts';
import type { UserStore } from '../users/user-store.ts';
import type { Pending, PendingCookie } from './pending-cookie.ts';
import { createRateLimit } from './rate-limit.ts';

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

export type SignInOptions = {
  provider: Provider;
  publicUrl: string;
  brandName: string;
  /** Whether the stand-in takes Google's place: pages say so. */
  standIn: boolean;
  resources: Resources;
  upstream: UpstreamSignIn;
  users: UserStore;
  pending: PendingCookie;
  clock: Clock;
  log: Log;
  signInPerMinute: number;
};

export type SignInContext = ReturnType<typeof createSignInContext>;

/** What the routes of sign-in share: leaving for the provider, and writing down a consent. */
export function createSignInContext(options: SignInOptions) {
  const limit = createRateLimit(options.clock, options.signInPerMinute);
  return {
    ...options,

    /** Sends the browser to the outside provider, remembering what this sign-in is for. At most so many a minute. */
    async startUpstream(
      request: FastifyRequest,
      reply: FastifyReply,
      purpose: Pick<Pending, 'interaction' | 'allowed' | 'returnTo'>,
    ) {
      if (!limit.allow(request.ip)) throw new SoukError('rate_limited');
      let started;
      try {
        started = await options.upstream.start();
      } catch (error) {
        options.log.error({ err: error }, 'the sign-in provider cannot be reached');
        const text = 'Google cannot be reached right now. Please try again in a moment.';
        return sendPage(
          reply,
          503,
          renderMessagePage({ brandName: options.brandName, title: 'Sign-in did not work', text }),
        );
      }
      await options.pending.store(reply, { ...started.pending, ...purpose });
      return reply.redirect(started.url, 303);
    },

    /** Writes the grant of an allowed client: exactly what was asked for, and a new one each time. */
    async grantConsent(interaction: Interaction, accountId: string): Promise<string> {
      const { client_id: clientId, scope, resource } = interaction.params;
      const grant = new options.provider.Grant({ accountId, clientId: String(clientId) });
      const scopes = typeof scope === 'string' ? scope.split(' ') : [];
      const openid = scopes.filter((one) => !one.startsWith('mcp:'));
      const mcp = scopes.filter((one) => one.startsWith('mcp:'));
      if (openid.length > 0) grant.addOIDCScope(openid.join(' '));
      const resources = Array.isArray(resource) ? resource : [resource ?? options.resources.mcp];
      for (const one of resources) if (mcp.length > 0) grant.addResourceScope(String(one), mcp.join(' '));
      return grant.save();
    },
  };
}
