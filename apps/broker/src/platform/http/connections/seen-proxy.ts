import type { FastifyRequest } from 'fastify';

/** Header of /healthz that tells the doctor how its own request arrived. */
export const seenProxyHeader = 'x-souk-proxy';

/**
 * Describes the proxy of a request:
 * - `none`: no sign of a proxy
 * - `unnamed`: a proxy that does not send X-Forwarded-For
 * - `untrusted`: a proxy that sends it, but that TRUST_PROXY does not name
 * - `trusted`: a proxy that TRUST_PROXY names
 *
 * followed by a space and the protocol that it reports: `https`, `http`, or `-` for none.
 */
export function seenProxy({ headers, ips }: Pick<FastifyRequest, 'headers' | 'ips'>): string {
  const reported = String(headers['x-forwarded-proto'] ?? '')
    .split(',')[0]
    ?.trim();
  const proto = reported === 'https' || reported === 'http' ? reported : '-';
  if (headers['x-forwarded-for'] !== undefined) return `${(ips?.length ?? 1) > 1 ? 'trusted' : 'untrusted'} ${proto}`;
  return `${proto === '-' ? 'none' : 'unnamed'} ${proto}`;
}
