import { createHmac } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { UpstreamTarget } from '#adapters/mcp/types.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Services } from './run-services.ts';
import { expandCommand, type StdioAllowlist } from './stdio-allowlist.ts';

export type TargetOptions = {
  dataDir: string;
  services: Services;
  allowlist: StdioAllowlist;
  /** Makes the pseudonym under which a demo service knows a person. */
  subjectKey: Uint8Array;
  /** host:port of addresses that are not public and yet allowed: the operator's own, and those of tests. */
  allowAddresses: readonly string[];
};

/** Whether each person needs a connection of their own: stated, or because the server knows who is asking. */
export function isPerUser({ manifest }: CatalogueServer): boolean {
  if (manifest.isolation) return manifest.isolation === 'perUser';
  return manifest.auth.type === 'oauth' || isDemoService(manifest.connection);
}

function isDemoService(connection: CatalogueServer['manifest']['connection']): boolean {
  return connection.type !== 'stdio' && connection.url.startsWith('service:');
}

/**
 * Where a server is for one person (`undefined`: for nobody, to discover and to check it), and what may be sent there.
 * Our own token, e-mail or id never is: a demo service gets a keyed pseudonym that differs from server to server.
 * @throws UpstreamError unreachable while a demo service is not running; refused_address for an alias that is gone
 */
export function upstreamTarget(
  server: CatalogueServer,
  userId: string | undefined,
  options: TargetOptions,
): UpstreamTarget {
  const { connection } = server.manifest;
  if (connection.type === 'stdio') {
    const entry = options.allowlist[connection.command];
    if (!entry) throw new UpstreamError('refused_address', `the command ${connection.command} is not allowed here`);
    const folder = join(options.dataDir, 'people', userId ?? 'nobody', server.id);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    return { type: 'stdio', cwd: folder, ...expandCommand(entry, folder) };
  }
  if (!isDemoService(connection)) {
    return { type: connection.type, url: connection.url, headers: {}, allowAddresses: options.allowAddresses };
  }
  const [name = '', ...rest] = connection.url.slice('service:'.length).split('/');
  const origin = options.services.address(name);
  if (!origin) throw new UpstreamError('unreachable', `the service ${name} is not running`);
  const path = rest.length > 0 ? `/${rest.join('/')}` : '/mcp';
  const subject =
    userId && createHmac('sha256', options.subjectKey).update(`${userId}\n${server.id}`).digest('base64url');
  return {
    type: connection.type,
    url: `${origin}${path}`,
    headers: { 'x-souk-service-secret': options.services.secret, ...(subject && { 'x-souk-subject': subject }) },
    allowAddresses: [new URL(origin).host],
  };
}
