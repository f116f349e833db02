import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import type { UpstreamSignIn } from '#adapters/google/google-sign-in.ts';
import type { Clock } from '#platform/clock.ts';
import type { Log } from '#platform/log.ts';
import type { HandOff } from '../oauth/hand-off-grant.ts';
import type { Resources } from '../oauth/resources.ts';
import type { UserStore } from '../users/user-store.ts';
import type { Pending, PendingCookie } from './pending-cookie.ts';
import { createRateLimit } from './rate-limit.ts';
import { refuseSignIn, type SignInRefusal } from './refuse-sign-in.ts';
import { unreachableText } from './provider-callback.ts';

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
  handOff: HandOff;
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
      { mustAsk = false } = {},
    ) {
      const refuse = (refusal: SignInRefusal) => refuseSignIn(options.brandName, request, reply, refusal);
      if (!limit.allow(request.ip)) return refuse({ code: 'rate_limited', retryAfterSeconds: 60 });
      let started;
      try {
        started = await options.upstream.start({ mustAsk });
      } catch (error) {
        options.log.error({ err: error }, 'the sign-in provider cannot be reached');
        return refuse({ code: 'unavailable', text: unreachableText });
      }
      await options.pending.store(request, reply, { ...started.pending, ...purpose });
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
