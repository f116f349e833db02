import type { FastifyReply, FastifyRequest } from 'fastify';
import { addressGroup } from '#platform/http/connections/address-group.ts';
import { createSampledLog } from '#platform/sampled-log.ts';
import { createRateLimit } from '#platform/rate-limit.ts';
import type { IdentityParts } from '../create-identity-parts.ts';
import type { IdentityOptions } from '../identity-options.ts';
import type { Interaction } from '../oauth/find-interaction.ts';
import type { ConsentServices } from '../pages/consent-page.ts';
import { createSignInRecorder } from '../sign-ins/sign-in-store.ts';
import { createPendingCookie, type Pending } from './pending-cookie.ts';
import { refuseSignIn, unreachableText, type SignInRefusal } from './refuse-sign-in.ts';
import { noServices } from './service-names.ts';
import { callbackPath, type SignInProvider, type SignInProviders } from './sign-in-providers.ts';
import { signOut } from './sign-out-route.ts';

export type SignInContext = ReturnType<typeof createSignInContext>;

/** Parts and steps that the sign-in routes share, such as leaving for a provider and recording a consent. */
export function createSignInContext(options: IdentityOptions, parts: IdentityParts) {
  const { db, config, clock, ids, log, services = noServices } = options;
  const { publicUrl, brandName, supportEmail } = config;
  const { resources, keys, users, authorizationServer, signInProviders: providers } = parts;
  const { provider, handOff, interactions } = authorizationServer;
  const refusals = createSampledLog(log, 'more sign-ins were refused');
  const limit = createRateLimit(config.limits.signInPerMinute, clock, undefined, db.brokers);
  const callbackPaths = providers.all.map(({ id }) => callbackPath(id));
  const pendingCookie = createPendingCookie({ publicUrl, cookieKey: keys.cookieKey, callbackPaths });

  async function describeObstacles(userId: string, serverId: string, name: string): Promise<string[]> {
    const { isOutsidePlan, needsAccount } = await services.obstaclesOf(userId, serverId);
    if (isOutsidePlan) return [`${name} is not in your plan; its tools won't work.`];
    return needsAccount ? [`${name} also needs your ${name} account.`] : [];
  }

  return {
    provider,
    publicUrl,
    brandName,
    supportEmail,
    providers,
    resources,
    users,
    handOff,
    clock,
    log,
    pending: pendingCookie,
    beforeSignIn: options.beforeSignIn ?? (() => ({ welcomeCredits: 0, legal: [] })),
    recordSeen: interactions.recordSeen,
    recordSignIn: createSignInRecorder({ query: db.query, ids, log }),
    signOut: (request: FastifyRequest, reply: FastifyReply) => signOut(authorizationServer, request, reply),

    /** Logs a sign-in that the provider allowed and we did not; in a flood, only some of them. */
    logRefusal: (provider: string, reason: string) => refusals.info({ provider, reason }, 'sign-in refused'),

    /** CSP sources, beyond our own origin, where the forms that lead to a provider may end. */
    providerTargets: ['https:', ...plainOrigins(providers).filter((origin) => origin !== publicUrl)],

    /** Sends the browser to the provider and remembers what this sign-in is for. Limited per minute. */
    async startUpstream(
      request: FastifyRequest,
      reply: FastifyReply,
      to: SignInProvider,
      purpose: Pick<Pending, 'interaction' | 'allowed' | 'returnTo' | 'againAs'>,
      { mustAsk = false } = {},
    ) {
      const refuse = (refusal: SignInRefusal) => refuseSignIn(brandName, request, reply, refusal);
      if (!limit.take(addressGroup(request.ip))) return refuse({ code: 'rate_limited', retryAfterSeconds: 60 });
      let started;
      try {
        started = await to.upstream.start({ mustAsk, mustAuthenticate: purpose.againAs !== undefined });
      } catch (error) {
        log.error({ err: error, provider: to.id }, 'the sign-in provider cannot be used');
        return refuse({ code: 'unavailable', text: unreachableText(to.name) });
      }
      const pending = { ...started.pending, provider: to.id, ...purpose };
      await pendingCookie.store(request, reply, callbackPath(to.id), pending);
      return reply.redirect(started.url, 303);
    },

    /** Describes the services that these addresses open. For a visitor, the all-servers link lists no names. */
    async describeServices(addresses: readonly string[], userId: string | undefined): Promise<ConsentServices> {
      const ids = addresses.map(resources.serverIdOf);
      if (ids.includes(undefined)) {
        const names = userId === undefined ? [] : await services.enabledBy(userId);
        return { names, isAll: true, notes: [] };
      }
      const known = ids.filter((id) => id !== undefined);
      const nameOf = (id: string) => services.nameOf(id) ?? id;
      const notes = await Promise.all(
        userId === undefined ? [] : known.map((id) => describeObstacles(userId, id, nameOf(id))),
      );
      return { names: known.map(nameOf), isAll: false, notes: notes.flat() };
    },

    /** Saves a new grant of an allowed client, for exactly what it asked for. */
    async grantConsent(interaction: Interaction, accountId: string): Promise<string> {
      const { client_id: clientId, scope, resource } = interaction.params;
      const grant = new provider.Grant({ accountId, clientId: String(clientId) });
      const scopes = typeof scope === 'string' ? scope.split(' ') : [];
      const openid = scopes.filter((one) => !one.startsWith('mcp:'));
      const mcp = scopes.filter((one) => one.startsWith('mcp:'));
      if (openid.length > 0) grant.addOIDCScope(openid.join(' '));
      for (const one of [resource ?? resources.mcp].flat()) {
        if (mcp.length > 0) grant.addResourceScope(String(one), mcp.join(' '));
      }
      return grant.save();
    },
  };
}

/** Origins of providers on this machine, which may use plain http. */
function plainOrigins({ all }: SignInProviders): string[] {
  return all.map(({ issuer }) => new URL(issuer).origin).filter((origin) => origin.startsWith('http:'));
}
