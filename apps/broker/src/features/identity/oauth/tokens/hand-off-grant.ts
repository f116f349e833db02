import { createHmac, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Provider } from 'oidc-provider';
import type { Ids } from '#platform/ids.ts';
import { sha256 } from '../../hash.ts';
import { allMcpScopes } from '../authorize-request.ts';
import { newFrontendGrant } from '../provider/provider-grants.ts';
import { frontendClientId, type Resources } from '../resources.ts';
import type { TokenRefusal } from './token-refusal.ts';

const handOffGrantType = 'urn:souk:grant:handoff';

/** Proves that a ticket was made for this browser: a user lured here with another's ticket has no cookie for it. */
const cookieName = 'souk_hand_off';
/** Lifetime of the ticket (create-provider.ts). */
const cookieSeconds = 60;

type Swap = { sameBrowser: boolean; keepsSignIn: boolean };

export type HandOff = ReturnType<typeof createHandOff>;

/**
 * Hands a sign-in over to /auth/success by a ticket in its address (clarifications, Sign-in). The ticket is an
 * authorization code of the web client whose proof of possession only we can compute: it is stored hashed, lives 60
 * seconds and works once; a second use revokes the tokens of the first; neither the ordinary code grant nor another
 * client can redeem it. A cookie proves that the browser is the one that returned from the provider. The swap's answer
 * says whether it was there (`sameBrowser`); if not, the web app asks the user first (sign-in forgery, RFC 6749,
 * section 10.12).
 */
export function createHandOff(parts: {
  provider: Provider;
  publicUrl: string;
  cookieKey: string;
  resources: Resources;
  ids: Ids;
}) {
  const { provider, publicUrl, resources } = parts;
  const redirectUri = `${publicUrl}/auth/success`;
  const attributes = {
    httpOnly: true,
    sameSite: 'lax',
    path: '/oauth/token',
    secure: publicUrl.startsWith('https:'),
  } as const;
  const swaps = new WeakMap<IncomingMessage, Swap>();
  const proofOf = (purpose: 'hand-off' | 'hand-off-browser', ticket: string) =>
    createHmac('sha256', parts.cookieKey).update(`${purpose}:${ticket}`).digest('base64url');
  /** RFC 7636 wants at least 43 characters: exactly the length of an HMAC-SHA-256 in base64url. */
  const verifierFor = (ticket: string) => proofOf('hand-off', ticket);
  const isOfBrowser = (ticket: string, cookie: string | undefined) => {
    const given = Buffer.from(cookie ?? '');
    const wanted = Buffer.from(proofOf('hand-off-browser', ticket));
    return given.length === wanted.length && timingSafeEqual(given, wanted);
  };

  return {
    /**
     * Issues a ticket for this user. The reply to the browser that returned from the provider carries its proof.
     * @param session.sessionUid names the browser's session, which their sign-out then ends too
     */
    async issue(
      reply: FastifyReply,
      accountId: string,
      { sessionUid, signedInAtMs }: { sessionUid: string; signedInAtMs: number },
    ): Promise<string> {
      const client = await provider.Client.find(frontendClientId);
      if (!client) throw new Error('the web client is not configured');
      const grant = newFrontendGrant(provider, accountId, resources);
      const ticket = parts.ids.secret(32);
      const code = new provider.AuthorizationCode({
        jti: ticket,
        gty: 'authorization_code',
        client,
        accountId,
        grantId: await grant.save(),
        redirectUri,
        resource: [resources.api],
        scope: allMcpScopes,
        sessionUid,
        authTime: Math.floor(signedInAtMs / 1000),
        codeChallenge: sha256(verifierFor(ticket)),
        codeChallengeMethod: 'S256',
      });
      reply.setCookie(cookieName, proofOf('hand-off-browser', ticket), { ...attributes, maxAge: cookieSeconds });
      return code.save();
    },

    /**
     * Turns a request with a ticket into the code exchange that it represents; other forms stay as they are. With
     * `keep_sign_in=1`, a ticket of another browser gets its tokens and leaves this browser's refresh cookie as it is.
     */
    rewrite(request: FastifyRequest, form: URLSearchParams): TokenRefusal | undefined {
      if (form.get('grant_type') !== handOffGrantType) return undefined;
      const [ticket, another] = form.getAll('token');
      if (ticket === undefined || another !== undefined || form.get('client_id') !== frontendClientId) {
        return {
          status: 400,
          error: 'invalid_request',
          description: 'a hand-off has one token and is for the web client',
        };
      }
      // a code may come from a program; a ticket is only ever swapped by our own page
      if (request.headers.origin !== publicUrl) {
        return { status: 403, error: 'invalid_request', description: 'the Origin header must name this installation' };
      }
      swaps.set(request.raw, {
        sameBrowser: isOfBrowser(ticket, request.cookies[cookieName]),
        keepsSignIn: form.get('keep_sign_in') === '1',
      });
      form.delete('token');
      form.delete('keep_sign_in');
      form.set('grant_type', 'authorization_code');
      form.set('code', ticket);
      form.set('redirect_uri', redirectUri);
      form.set('code_verifier', verifierFor(ticket));
      return undefined;
    },

    /** The swap of this request, if it was one before `rewrite`. */
    findSwap: (request: IncomingMessage): Swap | undefined => swaps.get(request),

    /** Set-Cookie that removes the proof, which a swap uses up. */
    clearedCookie: `${cookieName}=; Max-Age=0; Path=${attributes.path}; HttpOnly; SameSite=Lax${attributes.secure ? '; Secure' : ''}`,
  };
}
