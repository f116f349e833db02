import type { IncomingMessage } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { AccessTokens } from '../../authentication/verify-access-token.ts';
import type { Authorizations } from '../authorizations.ts';

export type AccessTokenRevocation = ReturnType<typeof createAccessTokenRevocation>;

/**
 * RFC 7009 for access tokens: ours are JWTs, whose revocation oidc-provider refuses. It still decides whether the client is
 * who it says; then the authorization that the token is of ends, as it does for a refresh token (section 2.1).
 */
export function createAccessTokenRevocation(options: {
  provider: Provider;
  accessTokens: AccessTokens;
  authorizations: Authorizations;
}) {
  const named = new WeakMap<IncomingMessage, { userId: string; grantId: string; clientId: string }>();

  options.provider.use(async (ctx, next) => {
    await next();
    const target = named.get(ctx.req);
    if (!target || ctx.status !== 200 || ctx.oidc.client?.clientId !== target.clientId) return;
    await options.authorizations.end(target.userId, target.grantId);
  });

  return {
    /** Remembers the access token of a revocation, if it is one of ours, and takes it out of what oidc-provider sees. */
    async prepare(request: IncomingMessage, form: URLSearchParams): Promise<void> {
      const claims = await options.accessTokens.read(form.get('token') ?? '');
      if (!claims) return;
      named.set(request, claims);
      form.set('token', 'an-access-token');
    },
  };
}
