import type { FastifyInstance, FastifyRequest } from 'fastify';
import { Provider, errors, interactionPolicy, type Configuration } from 'oidc-provider';
import { z } from 'zod';
import { foldEmail } from '@souk/contract/fold-email.ts';
import type { Clock } from '#platform/clock.ts';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import { sendPage } from '#platform/http/answers/page.ts';
import { handOver } from '../oauth/hand-over.ts';
import type { SigningKeys } from '../oauth/keys/signing-keys.ts';
import { createRecordStore } from '../oauth/record-store.ts';
import { clientSchemes } from '../oauth/redirect-uri.ts';
import { renderMessagePage, signInAgain } from '../pages/message-page.ts';
import { expiredWords } from '../pages/oauth-error-page.ts';
import { renderStandInPage, type StandInAccount } from '../pages/stand-in-page.ts';

const mountPath = '/dev-google';
const sessionCookie = 'souk_stand_in_session';

const namedAccounts: readonly StandInAccount[] = [
  { email: 'admin@souk.test', name: 'Ada Admin', note: 'administrator' },
  { email: 'bea@souk.test', name: 'Bea Buyer' },
  { email: 'carl@souk.test', name: 'Carl Coder' },
];

/** The name of an account of the stand-in: its own accounts have one, others are named by what stands before the @. */
export function standInName(email: string): string {
  return namedAccounts.find((account) => account.email === email)?.name ?? email.split('@')[0] ?? email;
}

export const standInEmailSchema = z
  .string()
  .trim()
  .transform(foldEmail)
  .pipe(z.string().max(200))
  .pipe(z.email('Please type an e-mail address.'));

/**
 * A stand-in for Google on machines without Google's keys: a second OpenID provider under our own origin, with an account
 * page in the place of a password. The rest of the product meets it over HTTP like the real one.
 */
export function createStandIn(options: {
  publicUrl: string;
  brandName: string;
  db: Database;
  vault: Vault;
  keys: Pick<SigningKeys, 'signer' | 'publicKeys' | 'cookieKey'>;
  clock: Clock;
  redirectUri: string;
  client: { clientId: string; clientSecret: string };
}) {
  const { publicUrl, brandName } = options;
  const issuer = publicUrl + mountPath;
  const provider = new Provider(issuer, {
    adapter: createRecordStore(options.db, options.vault, { namespace: 'stand-in:' }),
    jwks: { keys: [options.keys.signer] },
    enabledJWA: { idTokenSigningAlgValues: ['ES256'] },
    clientDefaults: { id_token_signed_response_alg: 'ES256' },
    cookies: {
      keys: [options.keys.cookieKey],
      names: { session: sessionCookie, interaction: 'souk_stand_in_interaction', resume: 'souk_stand_in_resume' },
      long: { httpOnly: true, sameSite: 'lax', path: mountPath, signed: true },
      short: { httpOnly: true, sameSite: 'lax', signed: true },
    },
    clients: [
      {
        client_id: options.client.clientId,
        client_secret: options.client.clientSecret,
        redirect_uris: [options.redirectUri],
        token_endpoint_auth_method: 'client_secret_basic',
      },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    // Like Google, name and e-mail stand in the identity token.
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
  const handle = provider.callback();

  function page(action: string, problem?: string): string {
    return renderStandInPage({ brandName, action, accounts: namedAccounts, ...(problem !== undefined && { problem }) });
  }

  return {
    issuer,
    mount(app: FastifyInstance): void {
      // oidc-provider would show the keys of its start, and these change while it runs.
      app.get(`${mountPath}/jwks`, () => ({ keys: options.keys.publicKeys() }));
      app.get(`${mountPath}/choose/:uid`, async (request, reply) => {
        const uid = await findInteraction(request, reply.raw);
        if (uid === undefined) return sendPage(reply, 400, expired());
        return sendPage(reply, 200, page(`${mountPath}/choose/${uid}`), formTargets);
      });

      app.post<{ Body: { email?: unknown } | undefined }>(`${mountPath}/choose/:uid`, async (request, reply) => {
        const uid = await findInteraction(request, reply.raw);
        if (uid === undefined) return sendPage(reply, 400, expired());
        const email = standInEmailSchema.safeParse(request.body?.email);
        if (!email.success) {
          return sendPage(
            reply,
            400,
            page(`${mountPath}/choose/${uid}`, 'Please type an e-mail address.'),
            formTargets,
          );
        }
        const returnTo = await provider.interactionResult(request.raw, reply.raw, {
          // choosing the account is signing in: there is no password
          login: { accountId: email.data, remember: false, ts: Math.floor(options.clock.now() / 1000) },
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

  function pass(request: FastifyRequest, reply: Parameters<typeof handOver>[3], body?: string): void {
    // It keeps no session, so that each sign-in can be with another account.
    request.raw.headers.cookie = withoutSession(request.raw.headers.cookie);
    const url = request.raw.url ?? '/';
    // oidc-provider reads where it is mounted from the difference of the two.
    Object.assign(request.raw, { originalUrl: url });
    request.raw.url = url.slice(mountPath.length);
    handOver(handle, publicUrl, request, reply, body);
  }

  async function findInteraction(request: FastifyRequest, response: Parameters<Provider['interactionDetails']>[1]) {
    try {
      const { uid } = await provider.interactionDetails(request.raw, response);
      return uid;
    } catch (error) {
      if (error instanceof errors.SessionNotFound) return undefined;
      throw error;
    }
  }

  function expired(): string {
    return renderMessagePage({
      brandName,
      ...expiredWords,
      next: signInAgain,
    });
  }
}

/**
 * The redirects after this form end at the client that the person signs in to, which a stand-in cannot know: any scheme
 * would have to be listed. `form-action *` covers https and http.
 */
const formTargets: readonly string[] = ['*', ...clientSchemes];

/** Google takes prompt=select_account, which oidc-provider does not know by itself; our page asks for the account anyway. */
function createPolicy() {
  const policy = interactionPolicy.base();
  policy.add(new interactionPolicy.Prompt({ name: 'select_account', requestable: true }), 0);
  return policy;
}

function withoutSession(cookies: string | undefined): string | undefined {
  return cookies
    ?.split('; ')
    .filter((cookie) => !cookie.startsWith(`${sessionCookie}=`) && !cookie.startsWith(`${sessionCookie}.sig=`))
    .join('; ');
}
