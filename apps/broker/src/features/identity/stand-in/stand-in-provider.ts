import { Provider, interactionPolicy, type Configuration } from 'oidc-provider';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import type { SigningKeys } from '../oauth/keys/signing-keys.ts';
import { createRecordStore } from '../oauth/record-store.ts';
import { standInName } from './stand-in-accounts.ts';

export const mountPath = '/dev-google';
export const sessionCookie = 'souk_stand_in_session';

export type StandInParts = {
  publicUrl: string;
  db: Database;
  vault: Vault;
  keys: Pick<SigningKeys, 'signer' | 'publicKeys' | 'cookieKey'>;
  redirectUri: string;
  client: { clientId: string; clientSecret: string };
};

/** Creates the stand-in's oidc-provider, which has one client: our own authorization server. */
export function createStandInProvider(parts: StandInParts): Provider {
  const provider = new Provider(parts.publicUrl + mountPath, {
    adapter: createRecordStore(parts.db, parts.vault, { namespace: 'stand-in:' }),
    jwks: { keys: [parts.keys.signer] },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    cookies: {
      keys: [parts.keys.cookieKey],
      names: { session: sessionCookie, interaction: 'souk_stand_in_interaction', resume: 'souk_stand_in_resume' },
      long: { httpOnly: true, sameSite: 'lax', path: mountPath, signed: true },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    clients: [
      {
        client_id: parts.client.clientId,
        client_secret: parts.client.clientSecret,
        redirect_uris: [parts.redirectUri],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    // as at Google, name and e-mail are in the identity token
    conformIdTokenClaims: false,
    responseTypes: ['code'],
    ttl: { Session: 600, Interaction: 600, Grant: 600, AccessToken: 300, IdToken: 300, AuthorizationCode: 60 },
    expiresWithSession: () => false,
    findAccount: (_ctx, email) => ({
      accountId: email,
      claims: () => ({ sub: email, email, email_verified: true, name: standInName(email) }),
    }),
    interactions: { policy: createPolicy(), url: (_ctx, interaction) => `${mountPath}/choose/${interaction.uid}` },
    loadExistingGrant: async (ctx) => {
      const accountId = ctx.oidc.session?.accountId;
      const clientId = ctx.oidc.client?.clientId;
      if (accountId === undefined || clientId === undefined) return undefined;
      const grant = new ctx.oidc.provider.Grant({ clientId, accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      externalSigningSupport: { enabled: true, ack: 'experimental-01' },
    },
  } satisfies Configuration);
  provider.proxy = true;
  return provider;
}

/** Google accepts prompt=select_account, which oidc-provider doesn't know; our page asks for the account anyway. */
function createPolicy() {
  const policy = interactionPolicy.base();
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0);
  return policy;
}
