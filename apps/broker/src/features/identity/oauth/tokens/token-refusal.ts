import type { FastifyReply } from 'fastify';

/** Refusal of a token request before oidc-provider sees it (RFC 6749, section 5.2; RFC 8707, section 2). */
export type TokenRefusal = {
  status: 400 | 403;
  error: 'invalid_request' | 'invalid_grant' | 'invalid_target';
  description: string;
  clearCookie?: true;
};

export function refuseToken(reply: FastifyReply, refusal: TokenRefusal) {
  return reply
    .code(refusal.status)
    .header('cache-control', 'no-store')
    .send({ error: refusal.error, error_description: refusal.description });
}
