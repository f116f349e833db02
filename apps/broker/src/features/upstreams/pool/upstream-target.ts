import type { UpstreamTarget } from '#adapters/mcp/target.ts';
import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import { isolationOf, type ServerManifest } from '#features/catalogue/index.ts';
import { allowedAddresses, portOf } from '#platform/http/outgoing/allowed-addresses.ts';
import type { ConnectionWatch } from '#platform/http/outgoing/connection-watch.ts';
import type { LimitedEntry } from '#platform/http/outgoing/limited-entry.ts';
import type { Outgoing } from '#platform/http/outgoing/outgoing.ts';
import type { ServerCertificates } from '../certificates/server-certificates.ts';
import { ownService } from './own-service.ts';
import { createPersonalFolders } from '../processes/personal-folders.ts';
import { pseudonymOf } from './pseudonym.ts';
import type { ProgramWatch } from '../processes/limits/program-watch.ts';
import type { Services } from '../processes/run-services.ts';
import type { StdioPrograms } from '../processes/stdio-programs.ts';
import { needsOwnSecrets, type Credentials } from '../sign-in/credentials.ts';
import type { SignInAddress } from '../sign-in/sign-in-address.ts';

export type TargetOptions = {
  dataDir: string;
  services: Services;
  programs: StdioPrograms;
  programWatch: ProgramWatch;
  /** Key from which the pseudonyms of users are derived. */
  subjectKey: Uint8Array;
  /** Allowed private addresses as host:port or CIDR, from the operator and from tests. */
  allowAddresses: readonly string[];
  /** Allowed private addresses that administrators added. */
  limited?: (() => readonly LimitedEntry[]) | undefined;
  /** Route of outgoing requests, such as a proxy; by default direct. */
  outgoing?: Outgoing | undefined;
  /** Notified of each step of a connection over the network. */
  watch?: ConnectionWatch | undefined;
  /** Notified of the certificates of deployed servers when `watch` is not given. */
  certificates?: Pick<ServerCertificates, 'watchOf'> | undefined;
  /** Production: allows plain http and ws only for `allowAddresses`. */
  publicNeedsTls: boolean;
  credentials: Credentials;
};

/**
 * Returns whether each user needs their own connection: because the manifest says so, or because the server knows its
 * user.
 */
export function isPerUser(server: ServerManifest): boolean {
  const { manifest } = server;
  // One user's secrets never serve another user, even if a manifest says `shared`.
  if (needsOwnSecrets(server)) return true;
  if (isolationOf(manifest) === 'perUser') return true;
  return manifest.isolation === undefined && ownService(server) !== undefined;
}

/**
 * Returns the address of a server for one user (`undefined`: for discovery and health checks) and what may be sent there.
 * Our token, the user's e-mail and their id are never sent: a demo service, and the folder of a program, get a keyed
 * pseudonym that differs per server.
 * @throws UpstreamError restarting while a demo service is not running; those of StdioPrograms.launch
 */
export function upstreamTarget(
  server: ServerManifest,
  userId: string | undefined,
  options: TargetOptions,
): UpstreamTarget {
  const { connection } = server.manifest;
  if (connection.type === 'stdio') {
    const folders = createPersonalFolders(options);
    const launch = options.programs.launch(
      { serverId: server.id, alias: connection.command },
      folders.open(server.id, userId),
    );
    const guard = options.programWatch.guardFor(folders.ownerOf(server.id, userId), server.id);
    return { type: 'stdio', ...launch, guard };
  }
  const address = addressOf(server, options);
  const credential = options.credentials(server, userId, address);
  const { publicNeedsTls, watch = options.certificates?.watchOf(server.id) } = options;
  const target = { type: connection.type, ...address, publicNeedsTls, watch, ...(credential && { credential }) };
  if (!ownService(server)) return { ...target, headers: {} };
  const subject = userId !== undefined && pseudonymOf(userId, server.id, options.subjectKey);
  return {
    ...target,
    headers: { 'x-souk-service-secret': options.services.secret, ...(subject && { 'x-souk-subject': subject }) },
  };
}

/**
 * Returns the current address of a server on the network, and the private addresses that it may use. A demo service may
 * use only its own.
 * @throws UpstreamError restarting while a demo service is not running
 */
export function addressOf(
  server: ServerManifest,
  {
    services,
    allowAddresses,
    limited,
    outgoing,
  }: Pick<TargetOptions, 'services' | 'allowAddresses' | 'limited' | 'outgoing'>,
): SignInAddress {
  const { connection } = server.manifest;
  if (connection.type === 'stdio') throw new UpstreamError('unreachable', 'a program has no address');
  const own = ownService(server);
  if (!own) {
    // A server on the internet cannot send us to the company's own addresses. Names are judged when they are resolved: by
    // the guard, and for a sign-in by withOwnAddresses.
    const url = new URL(connection.url);
    const isOfOperator = allowedAddresses(allowAddresses).mayHave(url.hostname, portOf(url));
    // an administrator's entry allows only this server, not the rest of the operator's list for its sign-in
    const ofAdministrators =
      limited?.().filter((one) => allowedAddresses([one]).mayHave(url.hostname, portOf(url))) ?? [];
    const listed = isOfOperator ? allowAddresses : [];
    return {
      url: connection.url,
      allowAddresses: ofAdministrators.length === 0 ? listed : [...listed, ...ofAdministrators],
      outgoing,
    };
  }
  const { name, path } = own;
  const origin = services.address(name);
  if (!origin) {
    const retryAfterMs = services.restartsInMs(name);
    throw new UpstreamError('restarting', `the service ${name} is not running`, { retryAfterMs });
  }
  return { url: `${origin}${path}`, allowAddresses: [new URL(origin).host] };
}
