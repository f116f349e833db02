import { getUserProfile } from '@souk/contract/identity.ts';
import type { FastifyInstance } from 'fastify';
import { SoukError } from '#platform/errors.ts';
import { createDownloads } from '#platform/http/answers/downloads.ts';
import { mountPageFiles } from '#platform/http/answers/page.ts';
import type { Router } from '#platform/http/router.ts';
import { mountAccountRoutes } from './account/account-routes.ts';
import { deleteOwnAccount } from './account/delete-account.ts';
import type { IdentityParts } from './create-identity-parts.ts';
import type { IdentityOptions } from './identity-options.ts';
import { mountConnectedAppRoutes } from './oauth/connected-apps/connected-app-routes.ts';
import { mountMetadataRoutes } from './oauth/metadata-routes.ts';
import { mountOAuthRoutes } from './oauth/oauth-routes.ts';
import { mountInteractionRoutes } from './sign-in/interaction-routes.ts';
import { mountProviderCallback } from './sign-in/provider-callback.ts';
import { createSignInContext } from './sign-in/sign-in-context.ts';
import { mountSignInRoutes } from './sign-in/sign-in-routes.ts';
import { mountSignOutRoute } from './sign-in/sign-out-route.ts';
import { repeatErrorText, routePersonalTokens } from './tokens/personal-token-routes.ts';
import { freePlan, presentProfile } from './users/present-profile.ts';
import { mountPersonAdministration } from './users/person-administration-routes.ts';
import { mountUserAdministration } from './users/user-administration-routes.ts';

export function mountIdentity(
  app: FastifyInstance,
  router: Router,
  options: IdentityOptions,
  parts: IdentityParts,
): void {
  mountPageFiles(app);
  mountAuthorizationServer(app, options, parts);
  mountSignIn(app, options, parts);
  mountApi(app, router, options, parts);
}

function mountAuthorizationServer(app: FastifyInstance, options: IdentityOptions, parts: IdentityParts): void {
  const { db, config, clock, events } = options;
  const { publicUrl, brandName } = config;
  const { resources, keys, users, authorizationServer, authentication } = parts;
  mountMetadataRoutes(app, config, resources);
  mountOAuthRoutes(app, {
    ...authorizationServer,
    publicUrl,
    brandName,
    publicKeys: keys.publicKeys,
    resources,
    accessTokens: authentication.accessTokens,
    users,
    clock,
    brokers: db.brokers,
    query: db.query,
    events,
  });
}

function mountSignIn(app: FastifyInstance, options: IdentityOptions, parts: IdentityParts): void {
  const context = createSignInContext(options, parts);
  mountInteractionRoutes(app, context);
  mountSignInRoutes(app, context);
  mountProviderCallback(app, context);
  mountSignOutRoute(app, context);
  parts.signInProviders.standIn?.mount(app);
}

function mountApi(app: FastifyInstance, router: Router, options: IdentityOptions, parts: IdentityParts): void {
  const { config, clock, disabledServers, planOf } = options;
  const { users, contributors, deletion, authorizationServer, authentication } = parts;
  const { cookie, authorizations } = authorizationServer;
  router.route(getUserProfile, async ({ caller }) => {
    const user = await users.find(caller.userId);
    if (!user) throw new SoukError('unauthenticated');
    const [disabled = [], plan = freePlan] = await Promise.all([disabledServers?.(user.id), planOf?.(user.id)]);
    return presentProfile(user, config.adminEmails, disabled, plan);
  });
  repeatErrorText(app);
  routePersonalTokens(router, authentication.tokens);
  const downloads = options.downloads ?? createDownloads();
  mountAccountRoutes(router, {
    downloads,
    users,
    contributors,
    clock,
    cookie,
    deleteAccount: (userId) => deleteOwnAccount(deletion, userId),
  });
  mountConnectedAppRoutes(router, authorizations, cookie);
  mountUserAdministration(router, { ...parts, clock });
  const { query } = options.db;
  mountPersonAdministration(router, { ...parts, ...authentication, authorizations, query, downloads, clock });
}
