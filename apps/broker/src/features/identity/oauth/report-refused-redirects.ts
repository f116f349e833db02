import type { IncomingMessage } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { RefusedRedirect } from './client-documents/client-metadata.ts';

/**
 * Adds to a registration's answer which redirect addresses were refused and why: otherwise its developer would find out
 * only at a sign-in. Clients ignore unknown members (RFC 7591, section 3.2.1).
 * @returns a map to record a request's refused addresses in, before the request goes to oidc-provider
 */
export function reportRefusedRedirects(provider: Provider): WeakMap<IncomingMessage, readonly RefusedRedirect[]> {
  const refused = new WeakMap<IncomingMessage, readonly RefusedRedirect[]>();
  provider.use(async (ctx, next) => {
    await next();
    const told = refused.get(ctx.req) ?? [];
    if (told.length === 0 || ctx.status !== 201 || typeof ctx.body !== 'object' || ctx.body === null) return;
    ctx.body = { ...ctx.body, refused_redirect_uris: told };
  });
  return refused;
}
