import { maySignIn } from '#platform/config/sign-in-allow.ts';
import { createAccountContributors } from './account/account-contributors.ts';
import { createIdentityContributors } from './account/identity-contributor.ts';
import { createAuthentication } from './authentication/create-authentication.ts';
import type { IdentityOptions } from './identity-options.ts';
import { loadSigningKeys } from './oauth/keys/signing-keys.ts';
import { createAuthorizationServer } from './oauth/create-authorization-server.ts';
import { createResources } from './oauth/resources.ts';
import { createRevocations } from './revocations.ts';
import { connectSignInProviders } from './sign-in/sign-in-providers.ts';
import { noPlans } from './users/people-plans.ts';
import { createUserAdministration } from './users/user-administration.ts';
import { createUserDirectory } from './users/user-directory.ts';
import { activeProviders } from './users/user-provider.ts';
import { createUserStore } from './users/user-store.ts';

export type IdentityParts = Awaited<ReturnType<typeof createIdentityParts>>;

/** Builds what identity consists of, in the order in which the parts need each other. */
export async function createIdentityParts(options: IdentityOptions) {
  const { db, config, clock, ids, log, vault } = options;
  const { adminEmails } = config;

  const resources = createResources(config.publicUrl, options.hasServer ?? (() => true));
  const keys = await loadSigningKeys({ db, vault, ids, clock, log });
  const users = createUserStore({
    db,
    ids,
    providers: activeProviders(config),
    maySignIn: (email) => maySignIn(config.signInAllow, email),
    welcomeNewcomer: options.welcomeNewcomer,
  });
  const { providers } = users;
  const revocations = await createRevocations(db, log);
  const authorizationServer = createAuthorizationServer(options, { resources, keys, users, revocations });
  const { authorizations } = authorizationServer;
  const signInProviders = connectSignInProviders(options, keys);
  const authentication = createAuthentication(options, { users, resources, keys, authorizations, revocations });
  const directory = createUserDirectory({
    query: db.query,
    providers,
    adminEmails,
    peoplePlans: options.peoplePlans ?? (() => noPlans),
    signedInServers: options.signedInServers,
  });
  const { tokens, tokenStore } = authentication;
  const contributors = createAccountContributors();
  for (const own of createIdentityContributors({ db, tokens, authorizations })) contributors.add(own);
  const deletion = {
    db,
    clock,
    log,
    contributors,
    revocations,
    recordErasure: options.recordErasure ?? (async () => {}),
    queueFarewell: options.queueFarewell ?? (async () => {}),
  };
  const endPaid = options.endPaid ?? (async () => []);
  const administration = createUserAdministration({
    deletion,
    authorizations,
    tokenStore,
    providers,
    adminEmails,
    endPaid,
  });
  return {
    resources,
    keys,
    users,
    revocations,
    authorizationServer,
    signInProviders,
    authentication,
    directory,
    contributors,
    deletion,
    administration,
  };
}
