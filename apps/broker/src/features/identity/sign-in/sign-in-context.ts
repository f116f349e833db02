import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import type { Clock } from '#platform/clock.ts';
import { addressGroup } from '#platform/http/connections/address-group.ts';
import type { Log } from '#platform/log.ts';
import { createSampledLog } from '#platform/sampled-log.ts';
import type { LiveBrokers } from '#platform/db/share-of.ts';
import { createRateLimit } from '#platform/rate-limit.ts';
import type { HandOff } from '../oauth/tokens/hand-off-grant.ts';
import type { Resources } from '../oauth/resources.ts';
import type { ConsentServices } from '../pages/consent-page.ts';
import type { BeforeSignIn } from '../pages/sign-in-page.ts';
import type { NoteSignIn } from '../sign-ins/sign-in-store.ts';
import type { UserStore } from '../users/user-store.ts';
import type { ServiceNames } from './service-names.ts';
import type { Pending, PendingCookie } from './pending-cookie.ts';
import { refuseSignIn, unreachableText, type SignInRefusal } from './refuse-sign-in.ts';
import { callbackPath, type SignInProvider, type SignInProviders } from './sign-in-providers.ts';

type Interaction = Awaited<ReturnType<Provider['interactionDetails']>>;

export type SignInOptions = {
  provider: Provider;
  publicUrl: string;
  brandName: string;
  /** Where a person who may not come in asks. */
  supportEmail: string;
  beforeSignIn: () => BeforeSignIn;
  providers: SignInProviders;
  resources: Resources;
  users: UserStore;
  handOff: HandOff;
  /** A person sees the page of this interaction. */
  noteSeen(uid: string): Promise<void>;
  /** A person signed in at a provider; the row says with which result. */
  noteSignIn: NoteSignIn;
  pending: PendingCookie;
  /** Ends what this browser is signed in with. */
  signOut(request: FastifyRequest, reply: FastifyReply): Promise<void>;
  services: ServiceNames;
  clock: Clock;
  log: Log;
  signInPerMinute: number;
  brokers: Pick<LiveBrokers, 'count'>;
};

export type SignInContext = ReturnType<typeof createSignInContext>;

/** What the routes of sign-in share: leaving for the provider, and writing down a consent. */
export function createSignInContext(options: SignInOptions) {
  const refusals = createSampledLog(options.log, 'more sign-ins were refused');
  const limit = createRateLimit(options.signInPerMinute, options.clock, undefined, options.brokers);
  async function describeObstacles(userId: string, serverId: string, name: string): Promise<string[]> {
    const { isOutsidePlan, needsAccount } = await options.services.obstaclesOf(userId, serverId);
    if (isOutsidePlan) return [`${name} is not in your plan; its tools won't work.`];
    return needsAccount ? [`${name} also needs your ${name} account.`] : [];
  }

  return {
    ...options,

    /** One line for each sign-in that the provider allowed and we did not; in a flood for some of them. */
    logRefusal: (provider: string, reason: string) => refusals.info({ provider, reason }, 'sign-in refused'),

    /** What the forms that lead to a provider may end at, beside our own origin. */
    providerTargets: ['https:', ...plainOrigins(options.providers).filter((origin) => origin !== options.publicUrl)],

    /** Sends the browser to the outside provider, remembering what this sign-in is for. At most so many a minute. */
    async startUpstream(
      request: FastifyRequest,
      reply: FastifyReply,
      to: SignInProvider,
      purpose: Pick<Pending, 'interaction' | 'allowed' | 'returnTo' | 'againAs'>,
      { mustAsk = false } = {},
    ) {
      const refuse = (refusal: SignInRefusal) => refuseSignIn(options.brandName, request, reply, refusal);
      if (!limit.take(addressGroup(request.ip))) return refuse({ code: 'rate_limited', retryAfterSeconds: 60 });
      let started;
      try {
        started = await to.upstream.start({ mustAsk, mustAuthenticate: purpose.againAs !== undefined });
      } catch (error) {
        options.log.error({ err: error, provider: to.id }, 'the sign-in provider cannot be used');
        return refuse({ code: 'unavailable', text: unreachableText(to.name) });
      }
      await options.pending.store(request, reply, callbackPath(to.id), {
        ...started.pending,
        provider: to.id,
        ...purpose,
      });
      return reply.redirect(started.url, 303);
    },

    /** What these addresses open for a user, by name; for a visitor only a single service has one. */
    async describeServices(addresses: readonly string[], userId: string | undefined): Promise<ConsentServices> {
      const ids = addresses.map(options.resources.serverIdOf);
      if (ids.includes(undefined)) {
        const names = userId === undefined ? [] : await options.services.enabledBy(userId);
        return { names, isAll: true, notes: [] };
      }
      const known = ids.filter((id) => id !== undefined);
      const nameOf = (id: string) => options.services.nameOf(id) ?? id;
      const notes = await Promise.all(
        userId === undefined ? [] : known.map((id) => describeObstacles(userId, id, nameOf(id))),
      );
      return { names: known.map(nameOf), isAll: false, notes: notes.flat() };
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

/** Of providers on this machine, which may speak plain http. */
function plainOrigins({ all }: SignInProviders): string[] {
  return all.map(({ issuer }) => new URL(issuer).origin).filter((origin) => origin.startsWith('http:'));
}
