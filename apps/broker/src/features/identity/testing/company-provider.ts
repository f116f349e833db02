import { createServer } from 'node:http';
import { exportJWK, generateKeyPair } from 'jose';
import { Provider, type Configuration } from 'oidc-provider';
import { freePort } from '#testing/network/free-port.ts';
import { listenLocally } from '#testing/servers/listen-locally.ts';

export const companyClient = { clientId: 'souk-at-acme', clientSecret: 'canary-company-secret' };

export type CompanyProvider = {
  issuer: string;
  /** User who is signed in there; without email_verified the provider does not mention it. */
  person: { sub: string; email: string; name: string; email_verified?: boolean };
  /** Age of the user's sign-in there, as the provider dates the next sign-in. */
  signedInAgoSeconds: number;
  close(): Promise<void>;
};

/**
 * Starts a company's own OpenID provider: a real one (oidc-provider), which has e-mail and name in userinfo, accepts
 * the secret only in the form and signs its user in without a question.
 * @param redirectUris callbacks that are registered there
 */
export async function startCompanyProvider(redirectUris: readonly string[]): Promise<CompanyProvider> {
  const { privateKey } = await generateKeyPair('RS256', { extractable: true });
  const port = await freePort();
  const issuer = `http://localhost:${port}/realms/acme`;
  const company: CompanyProvider = {
    issuer,
    person: { sub: 'acme-1', email: 'Ana@Acme.test', name: 'Ana Acme', email_verified: true },
    signedInAgoSeconds: 0,
    close: async () => {
      await listening.close();
    },
  };
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...(await exportJWK(privateKey)), kid: 'acme', alg: 'RS256', use: 'sig' }] },
    cookies: { keys: ['company-cookies'] },
    clients: [
      {
        client_id: companyClient.clientId,
        client_secret: companyClient.clientSecret,
        redirect_uris: [...redirectUris],
        token_endpoint_auth_method: 'client_secret_post',
        require_auth_time: true,
      },
    ],
    clientAuthMethods: ['client_secret_post'],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    ttl: { Session: 600, Interaction: 600, Grant: 600, AccessToken: 300, IdToken: 300, AuthorizationCode: 60 },
    pkce: { required: () => true },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => company.person }),
    interactions: { url: (_ctx, { uid }) => `/realms/acme/person/${uid}` },
    loadExistingGrant: async (ctx) => {
      const { client, session } = ctx.oidc;
      if (!client || session?.accountId === undefined) return undefined;
      const grant = new ctx.oidc.provider.Grant({ clientId: client.clientId, accountId: session.accountId });
      grant.addOIDCScope('openid email profile');
      await grant.save();
      return grant;
    },
    features: { devInteractions: { enabled: false } },
  } satisfies Configuration);
  const handle = provider.callback();

  const server = createServer((request, response) => {
    const url = request.url ?? '/';
    if (url.startsWith('/realms/acme/person/')) {
      const ts = Math.floor(Date.now() / 1000) - company.signedInAgoSeconds;
      const login = { accountId: company.person.sub, remember: false, ts };
      provider.interactionFinished(request, response, { login }).catch(() => response.destroy());
      return;
    }
    // oidc-provider derives its mount path from the difference of the two
    Object.assign(request, { originalUrl: url, url: url.slice('/realms/acme'.length) });
    void handle(request, response);
  });
  const listening = await listenLocally(server, port);
  return company;
}
