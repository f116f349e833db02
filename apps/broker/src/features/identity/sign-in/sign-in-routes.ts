import type { FastifyInstance } from 'fastify';
import { z } from 'zod';
import { mcpScopes } from '@souk/contract/identity.ts';
import { frontendClientId } from '../oauth/resources.ts';
import { emailWay, missingProviders, notYetImplemented } from './not-yet-implemented.ts';
import { pageOnFailure, refuseSignIn } from './refuse-sign-in.ts';
import { readAuthorizeAddress, readReturnTo } from './return-to.ts';
import type { SignInContext } from './sign-in-context.ts';
import { isUuid } from '../users/user-store.ts';

const loginSchema = z.object({
  state: z.string().min(1).max(200),
  code_challenge: z.string().regex(/^[A-Za-z0-9_-]{43}$/),
  /** Asks for the account even if the browser is signed in (OpenID Connect Core, section 3.1.2.1). */
  prompt: z.literal('login').optional(),
});

/** Mounts the entry points that the specification names (part 1, section 7). */
export function mountSignInRoutes(app: FastifyInstance, context: SignInContext): void {
  const { publicUrl, brandName } = context;
  const options = { errorHandler: pageOnFailure(brandName) };

  /** Turns the web app's PKCE challenge and state into an authorization request of the client `frontend`. */
  app.get<{ Querystring: Record<string, unknown> }>('/login', options, (request, reply) => {
    const callback = `${publicUrl}/auth/callback`;
    // optional, because there is only one address to return to
    const { return_to: returnTo = callback } = request.query;
    if (readReturnTo(returnTo, publicUrl) !== callback) {
      const text = 'return_to must be the callback of this site.';
      return refuseSignIn(brandName, request, reply, { code: 'invalid_request', text });
    }
    const query = loginSchema.safeParse(request.query);
    // a plain link to the login page: the web app's start page creates state and challenge and returns here, and the
    // sign-in ends at the dashboard
    if (!query.success) return reply.redirect(`${publicUrl}/sign-in?return_to=%2Fdashboard`, 303);
    const url = new URL(`${publicUrl}/oauth/authorize`);
    url.search = new URLSearchParams({
      client_id: frontendClientId,
      response_type: 'code',
      redirect_uri: callback,
      scope: mcpScopes.join(' '),
      resource: context.resources.api,
      state: query.data.state,
      code_challenge: query.data.code_challenge,
      code_challenge_method: 'S256',
      ...(query.data.prompt !== undefined && { prompt: query.data.prompt }),
    }).toString();
    return reply.redirect(url.href, 303);
  });

  /**
   * Goes straight to a provider. return_to is /auth/success, which gets a ticket. With mcp_client=true it may also be
   * an MCP client's authorization request on our own origin: after the sign-in that request continues in the same
   * browser, with its usual consent and without a ticket. With again_as={userId} the provider asks again, and only this
   * user's sign-in counts: the web app gets a recent sign-in this way (authentication/require-recent-sign-in.ts).
   */
  app.get<{ Params: { provider: string }; Querystring: Record<string, unknown> }>(
    '/auth/:provider',
    options,
    (request, reply) => {
      const { return_to: wanted = '/auth/success', mcp_client: isForClient, prompt, again_as: againAs } = request.query;
      const name = missingProviders.get(request.params.provider);
      if (name !== undefined) {
        return refuseSignIn(brandName, request, reply, { code: 'not_implemented', text: notYetImplemented(name) });
      }
      const to = context.providers.find(request.params.provider);
      if (!to) {
        const text = 'This sign-in provider does not exist.';
        return refuseSignIn(brandName, request, reply, { code: 'not_found', text });
      }
      const success = readReturnTo(wanted, publicUrl) === `${publicUrl}/auth/success`;
      const authorize = isForClient === 'true' ? readAuthorizeAddress(wanted, publicUrl) : undefined;
      const returnTo = success ? `${publicUrl}/auth/success` : authorize;
      if (returnTo === undefined) {
        const text = 'return_to must be a callback of this site';
        return refuseSignIn(brandName, request, reply, { code: 'invalid_request', text });
      }
      const purpose = { returnTo, ...(typeof againAs === 'string' && isUuid(againAs) && { againAs }) };
      return context.startUpstream(request, reply, to, purpose, { mustAsk: prompt === 'login' });
    },
  );

  for (const action of ['sign-in', 'sign-up']) {
    app.post(`/auth/email/${action}`, options, (request, reply) =>
      refuseSignIn(brandName, request, reply, { code: 'not_implemented', text: notYetImplemented(emailWay, action) }),
    );
  }
}
