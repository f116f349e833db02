import type { IncomingMessage } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { AccessTokens } from '../../authentication/verify-access-token.ts';
import type { Authorizations } from '../authorizations.ts';

export type AccessTokenRevocation = ReturnType<typeof createAccessTokenRevocation>;

/**
 * Revokes access tokens (RFC 7009), which oidc-provider refuses to do for JWTs. It still authenticates the client; then
 * the token's authorization ends, as it does for a refresh token (section 2.1).
 */
export function createAccessTokenRevocation(parts: {
  provider: Provider;
  accessTokens: AccessTokens;
  authorizations: Authorizations;
}) {
  const named = new WeakMap<IncomingMessage, { userId: string; grantId: string; clientId: string }>();

  parts.provider.use(async (ctx, next) => {
    await next();
    const target = named.get(ctx.req);
    if (!target || ctx.status !== 200 || ctx.oidc.client?.clientId !== target.clientId) return;
    await parts.authorizations.end(target.userId, target.grantId);
  });

  return {
    /** Remembers the access token of a revocation, if it is ours, and hides it from oidc-provider. */
    async prepare(request: IncomingMessage, form: URLSearchParams): Promise<void> {
      const claims = await parts.accessTokens.read(form.get('token') ?? '');
      if (!claims) return;
      named.set(request, claims);
      form.set('token', 'an-access-token');
    },
  };
}
