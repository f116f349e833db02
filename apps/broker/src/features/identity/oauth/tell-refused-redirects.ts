import type { IncomingMessage } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { RefusedRedirect } from './client-documents/client-metadata.ts';

/**
 * Adds to the answer of a registration which of its redirect addresses were not kept, and why: its developer would else
 * find out at a sign-in. Clients ignore members that they do not know (RFC 7591, section 3.2.1).
 * @returns where the refused ones of a request are written down before it goes to oidc-provider
 */
export function tellRefusedRedirects(provider: Provider): WeakMap<IncomingMessage, readonly RefusedRedirect[]> {
  const refused = new WeakMap<IncomingMessage, readonly RefusedRedirect[]>();
  provider.use(async (ctx, next) => {
    await next();
    const told = refused.get(ctx.req) ?? [];
    if (told.length === 0 || ctx.status !== 201 || typeof ctx.body !== 'object' || ctx.body === null) return;
    ctx.body = { ...ctx.body, refused_redirect_uris: told };
  });
  return refused;
}
