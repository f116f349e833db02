import type { FastifyRequest } from 'fastify';

/** Header of /healthz: how the request came, for the doctor. It tells whoever asks only about their own request. */
export const seenProxyHeader = 'x-souk-proxy';

/**
 * - `none`: nothing says that a proxy stands between
 * - `unnamed`: a proxy does not say for whom it asks (X-Forwarded-For)
 * - `untrusted`: it does, but TRUST_PROXY does not name it
 * - `trusted`: it counts
 *
 * and after a blank what it says of the protocol: `https`, `http`, or `-` for nothing.
 */
export function seenProxy({ headers, ips }: Pick<FastifyRequest, 'headers' | 'ips'>): string {
  const told = String(headers['x-forwarded-proto'] ?? '')
    .split(',')[0]
    ?.trim();
  const proto = told === 'https' || told === 'http' ? told : '-';
  if (headers['x-forwarded-for'] !== undefined) return `${(ips?.length ?? 1) > 1 ? 'trusted' : 'untrusted'} ${proto}`;
  return `${proto === '-' ? 'none' : 'unnamed'} ${proto}`;
}
