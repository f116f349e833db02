import { getUserProfile } from '@souk/contract/identity.ts';
import type { FastifyInstance } from 'fastify';
import type { Dispatcher } from 'undici';
import type { ConnectUpstream } from '#adapters/google/google-sign-in.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import { mountPageStyles } from '#platform/http/page.ts';
import type { Guard, Router } from '#platform/http/router.ts';
import type { Caller } from '#platform/http/caller.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import { createAccountContributors } from './account/account-contributors.ts';
import { mountAccountRoutes } from './account/account-routes.ts';
import { deleteAccount } from './account/delete-account.ts';
import { createIdentityContributors } from './account/identity-contributor.ts';
import { createAuthenticateMcp } from './access/authenticate-mcp.ts';
import { createGuard } from './access/guard.ts';
import { rememberCallers } from './access/remembered-callers.ts';
import { createUseRecorder } from './access/use-recorder.ts';
import { createAccessTokens } from './access/verify-access-token.ts';
import { createConnectionLog } from './connection-log/create-connection-log.ts';
import { mountConnectionLogRoutes } from './connection-log/routes.ts';
import { createSelfTest } from './connection-log/self-test.ts';
import { createAuthorizations } from './oauth/authorizations.ts';
import { mountConnectedAppRoutes } from './oauth/connected-app-routes.ts';
import { createHandOff } from './oauth/hand-off-grant.ts';
import { createProvider } from './oauth/create-provider.ts';
import { nameClients, type UsedClient } from './name-clients.ts';
import { createClientDocumentFetch } from './oauth/fetch-client-document.ts';
import { createFrontendCookie } from './oauth/frontend-cookie.ts';
import { mountMetadataRoutes } from './oauth/metadata-routes.ts';
import { mountOAuthRoutes } from './oauth/oauth-routes.ts';
import { reapRecords } from './oauth/reap-records.ts';
import { createRefreshRotation } from './oauth/refresh-rotation.ts';
import { createWebRenewal } from './oauth/web-renewal.ts';
import { createResources } from './oauth/resources.ts';
import { createAccessTokenRevocation } from './oauth/revoke-access-token.ts';
import { loadSigningKeys } from './oauth/signing-keys.ts';
import { extendTokenAnswers } from './oauth/token-endpoint.ts';
import { createRevocations, type RevokedListener } from './revocations.ts';
import { mountInteractionRoutes } from './sign-in/interaction-routes.ts';
import { createPendingCookie } from './sign-in/pending-cookie.ts';
import { createSignInContext } from './sign-in/sign-in-context.ts';
import { mountProviderCallback } from './sign-in/provider-callback.ts';
import { mountSignInRoutes } from './sign-in/sign-in-routes.ts';
import { mountSignOutRoute } from './sign-in/sign-out-route.ts';
import { createStandIn } from './stand-in/stand-in.ts';
import { createOperatorToken, type OperatorTokenRequest } from './tokens/create-operator-token.ts';
import { repeatErrorText, routePersonalTokens } from './tokens/personal-token-routes.ts';
import { createPersonalTokenStore } from './tokens/personal-token-store.ts';
import { createPersonalTokens } from './tokens/personal-tokens.ts';
import { createUserActivation } from './users/user-activation.ts';
import { presentProfile } from './users/present-profile.ts';
import { createUserStore } from './users/user-store.ts';

export type IdentityOptions = {
  db: Database;
  /** publicUrl must be final: with PORT=0 the port is chosen before. */
  config: Pick<Config, 'publicUrl' | 'brandName' | 'google' | 'adminEmails' | 'limits'>;
  clock: Clock;
  ids: Ids;
  log: Log;
  vault: Vault;
  /** The adapter towards Google and the stand-in: connectGoogle of adapters/google. */
  connectUpstream: ConnectUpstream;
  /** Google's issuer; tests put theirs here. */
  googleIssuer?: string;
  /** Whether a server is deployed: only then is there anything to sign in for at its link. By default every one is. */
  hasServer?: (serverId: string) => boolean;
  /** Connects to clients' metadata documents; the default refuses every address that is not public. */
  documentDispatcher?: Dispatcher;
  /** What a person has switched off, for their profile: of a feature that stands above this one. */
  disabledServers?: (userId: string) => Promise<readonly string[]>;
};

export type Identity = Awaited<ReturnType<typeof createIdentity>>;

/** Users, sign-in, the OAuth server and personal tokens. The rest of the broker asks it who calls, and nothing else. */
export async function createIdentity(options: IdentityOptions) {
  const { db, config, clock, ids, log, vault } = options;
  const { publicUrl, brandName, adminEmails } = config;
  const activeProvider = config.google ? 'google' : 'dev';
  const redirectUri = `${publicUrl}/auth/google/callback`;

  const resources = createResources(publicUrl, options.hasServer ?? (() => true));
  const keys = await loadSigningKeys({ db, vault, ids, clock, log });
  const users = createUserStore(db, ids, activeProvider);
  const revocations = await createRevocations(db, log);
  const cookie = createFrontendCookie({ publicUrl, cookieKey: keys.cookieKey, secret: (bytes) => ids.secret(bytes) });
  const rotation = createRefreshRotation({ db, key: keys.cookieKey });
  const renewal = createWebRenewal({ db, rotation });
  const documents = createClientDocumentFetch(clock, options.documentDispatcher);
  const provider = createProvider({
    publicUrl,
    brandName,
    resources,
    db,
    vault,
    ids,
    users,
    rotation,
    renewal,
    keys,
    fetchClientDocument: documents.fetch,
    onGrantRevoked: (grantId) => void revocations.announce(grantId),
  });
  const authorizations = createAuthorizations({ db, clock, announce: revocations.announce });
  const handOff = createHandOff({ provider, publicUrl, cookieKey: keys.cookieKey, resources, ids });
  extendTokenAnswers(provider, { cookie, handOff, authorizations });
  const uses = createUseRecorder({ clock, log, write: authorizations.recordUse });
  const connectionLog = createConnectionLog({
    ...options,
    publicUrl,
    resources,
    findKey: keys.findKey,
    hashKey: keys.cookieKey,
  });
  connectionLog.watchProvider(provider);
  provider.on('server_error', (_ctx, error) => log.error({ err: error }, 'the authorization server failed'));

  // The stand-in's secret protects nothing that a visitor of its account page could not have; it only has to be there.
  const standInClient = { clientId: 'souk', clientSecret: keys.cookieKey };
  const standIn = config.google
    ? undefined
    : createStandIn({ publicUrl, brandName, db, vault, keys, redirectUri, client: standInClient });
  const signInProvider = standIn?.issuer ?? options.googleIssuer ?? 'https://accounts.google.com';
  const upstream = options.connectUpstream({
    issuer: signInProvider,
    redirectUri,
    ...(config.google ?? standInClient),
  });

  const accessTokens = createAccessTokens({
    db,
    issuer: publicUrl,
    findKey: keys.findKey,
    provider: activeProvider,
    adminEmails,
    noteUse: uses.note,
  });
  const tokenStore = createPersonalTokenStore(db, activeProvider);
  const tokens = createPersonalTokens({
    store: tokenStore,
    clock,
    ids,
    log,
    adminEmails,
    onRevoked: revocations.announce,
  });
  const contributors = createAccountContributors();
  for (const own of createIdentityContributors({ db, tokens, authorizations })) contributors.add(own);
  const accountOptions = { db, clock, log, contributors, announce: revocations.announce };
  const remembered = rememberCallers(revocations, clock);
  const guard: Guard = createGuard(accessTokens, tokens, resources.api);

  return {
    guard,
    authenticateMcp: createAuthenticateMcp(accessTokens, tokens, remembered),
    /** The same for somebody who was known a moment ago, at once; undefined says only that nobody remembers them. */
    rememberedMcpCaller(authorization: string, resource: string): Caller | undefined {
      const found = remembered.find(authorization, resource);
      return 'caller' in found ? found.caller : undefined;
    },
    findUser: users.find,
    /** Names for the log of a person's calls; see name-clients.ts. */
    nameClients: (userId: string, clients: readonly UsedClient[]) => nameClients(db.query, userId, clients),
    connectionLog,
    /** What features above hold about a person joins the export and the deletion of an account here. */
    accountContributors: { add: contributors.add },
    /** Deactivation and reactivation, for administrators. */
    users: createUserActivation({ db, provider: activeProvider, announce: revocations.announce }),
    /** Moves the signing keys on as their age wants it: to be called every hour or so, on one replica or on all. */
    rotateKeys: keys.rotate,
    /** Deletes records that have no meaning any more: to be called every hour or so. */
    reap: () => reapRecords(db),
    createPersonalToken: (request: OperatorTokenRequest) => createOperatorToken({ users, tokens, clock }, request),

    /** @returns a function that takes the listener off again. */
    onRevoked: (listener: RevokedListener): (() => void) => revocations.subscribe(listener),

    /** Mounts everything of identity. `app` needs the cookie and formbody plugins (buildServer has them). */
    async mountRoutes(app: FastifyInstance, router: Router): Promise<void> {
      mountPageStyles(app);
      connectionLog.watchRoutes(app);
      const selfTest = createSelfTest({
        ...options,
        publicUrl,
        tokenStore,
        onRevoked: revocations.announce,
        signInProvider,
      });
      mountConnectionLogRoutes(router, connectionLog, selfTest);
      mountMetadataRoutes(app, publicUrl, resources);
      mountOAuthRoutes(app, {
        provider,
        publicUrl,
        publicKeys: keys.publicKeys,
        resources,
        rotation,
        renewal,
        cookie,
        handOff,
        accessTokens,
        authorizations,
        accessTokenRevocation: createAccessTokenRevocation({ provider, accessTokens, authorizations }),
        users,
        clock,
        connectionLog,
      });
      const context = createSignInContext({
        provider,
        publicUrl,
        brandName,
        standIn: standIn !== undefined,
        resources,
        upstream,
        users,
        handOff,
        pending: createPendingCookie({ publicUrl, cookieKey: keys.cookieKey }),
        clock,
        log,
        signInPerMinute: config.limits.signInPerMinute,
      });
      mountInteractionRoutes(app, context);
      mountSignInRoutes(app, context);
      mountProviderCallback(app, context);
      mountSignOutRoute(app, { provider, publicUrl, cookie, authorizations });
      standIn?.mount(app);

      router.route(getUserProfile, async ({ caller }) => {
        const user = await users.find(caller.userId);
        if (!user) throw new SoukError('unauthenticated');
        return presentProfile(user, adminEmails, (await options.disabledServers?.(user.id)) ?? []);
      });
      repeatErrorText(app);
      routePersonalTokens(router, tokens);
      mountAccountRoutes(router, {
        users,
        contributors,
        clock,
        cookie,
        deleteAccount: (userId) => deleteAccount(accountOptions, userId),
      });
      mountConnectedAppRoutes(router, authorizations, cookie);
    },

    async stop(): Promise<void> {
      remembered.stop();
      await connectionLog.settle();
      await tokens.stop();
      await uses.settle();
      await revocations.stop();
      await keys.stop();
      await documents.close();
    },
  };
}
