import type { NeededSecret, SecretKind, ServerSecretList } from '@souk/contract/admin/secrets.ts';
import type { Manifest } from '@souk/contract/manifest/manifest.ts';
import type { Catalogue, ServerManifest } from '#features/catalogue/index.ts';
import type { DecidedBy } from '#platform/audit/decided-by.ts';
import { SoukError } from '#platform/errors.ts';
import { headerVariable } from '../sign-in/client/operator-secrets.ts';
import { placeText, secretPlace } from './secret-place.ts';
import type { EnvironmentPlaces } from './environment-places.ts';
import type { EnteredSecret, ServerSecrets } from './server-secrets.ts';

/** The secrets that a program on the allow-list gets. */
export type ProgramNeeds = { names: readonly string[]; place: string; variableOf(name: string): string | null };

export type SecretParts = {
  catalogue: Pick<Catalogue, 'versions' | 'findManifest'>;
  secrets: ServerSecrets;
  /** Returns undefined if the alias is not on the allow-list. */
  needsOf(alias: string): ProgramNeeds | undefined;
  /** The operator's values by variable. */
  environment: ReadonlyMap<string, string>;
  /** The addresses to which headers from the environment are bound. */
  places: Pick<EnvironmentPlaces, 'boundTo' | 'bind'>;
  emailsOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
};

/** A server with the part of its manifest that names its secrets. */
type NeedingServer = { id: string; manifest: Pick<Manifest, 'connection' | 'auth'> };

type Named = { kind: SecretKind; name: string; place: string };
type Needed = Named & { variable: string | null };

/** Actions on the secrets of servers, for administrators and the operator's command. */
export type SecretAdministration = {
  /** @throws SoukError not_found when there is no manifest of this id */
  list(serverId: string): Promise<Omit<ServerSecretList, 'success'>>;
  /** @throws SoukError not_found, changed_since_shown when the manifest names another place, invalid_request */
  set(serverId: string, named: Named, value: string, by: DecidedBy): Promise<void>;
  /** Counts the secrets that a manifest needs and that are missing or sealed with another master key. */
  missingOf(server: NeedingServer): number;
  /** Returns the names of the variables that were entered for a server's program. */
  enteredFor(serverId: string, alias: string): string[];
  /** @throws SoukError not_found */
  remove(serverId: string, named: Named, by: DecidedBy): Promise<void>;
  /**
   * Binds the headers from the environment to the address of a current version: the named one, if there are several.
   * @returns the address, and the previous one
   * @throws SoukError not_found, invalid_request
   */
  bindEnvironment(
    serverId: string,
    version: string | undefined,
    by: DecidedBy,
  ): Promise<{ place: string; before: string | null }>;
};

export function administerSecrets(parts: SecretParts): SecretAdministration {
  const { secrets, places } = parts;
  return {
    async list(serverId) {
      const wanted = await neededOf(serverId, parts);
      const entered = secrets.entered(serverId);
      const emails = await parts.emailsOf(entered.flatMap(({ setBy }) => setBy ?? []));
      const whoAndWhen = ({ setAt, setBy }: EnteredSecret) => ({
        at: setAt.toISOString(),
        by: setBy === null ? null : (emails.get(setBy) ?? null),
      });
      const unused = entered.filter((one) => !wanted.some((other) => isSame(one, other)));
      return {
        needed: wanted.map((one) => {
          const found = entered.find((other) => isSame(one, other));
          return {
            ...one,
            state: stateOf(serverId, one, parts),
            boundTo: boundElsewhere(serverId, one, parts),
            entered: found ? whoAndWhen(found) : null,
          };
        }),
        unused: unused.map((one) => ({ kind: one.kind, name: one.name, place: one.place, entered: whoAndWhen(one) })),
      };
    },

    async set(serverId, named, value, by) {
      const wanted = (await neededOf(serverId, parts)).filter(
        (one) => one.kind === named.kind && stored(one).name === stored(named).name,
      );
      if (wanted.length === 0) {
        throw new SoukError('invalid_request', { message: `${serverId} does not ask for a secret ${named.name}.` });
      }
      const here = wanted.find(({ place }) => place === named.place);
      if (!here) {
        const current = wanted.map(({ place }) => placeText(place)).join(' and ');
        throw new SoukError('changed_since_shown', {
          message: `${named.name} now goes to ${current}, not to ${placeText(named.place)}. Nothing was stored. Check it and try again.`,
        });
      }
      if (isSetByOperator(serverId, here, parts)) {
        throw new SoukError('invalid_request', {
          message: `The operator has set ${here.variable}, which takes precedence: a value entered here would not be used.`,
        });
      }
      await secrets.put({ serverId, ...stored(here) }, value, by);
    },

    missingOf(server) {
      const isMissing = (one: Needed) => ['missing', 'unreadable'].includes(stateOf(server.id, one, parts));
      return neededBy(server, parts).filter(isMissing).length;
    },

    enteredFor(serverId, alias) {
      const place = parts.needsOf(alias)?.place;
      return secrets
        .entered(serverId)
        .filter((one) => one.kind === 'variable' && one.place === place && one.isReadable)
        .map(({ name }) => name);
    },

    remove: (serverId, named, by) => secrets.remove({ serverId, ...stored(named) }, by),

    async bindEnvironment(serverId, version, by) {
      const headers = (await neededOf(serverId, parts)).filter(
        ({ kind, versions }) => kind === 'header' && (version === undefined || versions.includes(version)),
      );
      const before = places.boundTo(serverId) ?? null;
      const all = [...new Set(headers.map(({ place }) => place))];
      const others = all.filter((place) => place !== before);
      const [place = all[0]] = others;
      if (place === undefined) {
        throw new SoukError('invalid_request', {
          message: `${version === undefined ? serverId : `${serverId} ${version}`} needs no header value from you.`,
        });
      }
      if (others.length > 1) {
        throw new SoukError('invalid_request', {
          message: `The versions of ${serverId} are at ${others.join(' and ')}: name one with --version.`,
        });
      }
      await places.bind(serverId, place, by);
      return { place, before };
    },
  };
}

/** Returns the address that gets the operator's variable instead of this place. */
function boundElsewhere(
  serverId: string,
  { kind, place, variable }: Needed,
  { environment, places }: SecretParts,
): string | null {
  if (kind !== 'header' || variable === null || !environment.has(variable)) return null;
  const boundTo = places.boundTo(serverId) ?? place;
  return boundTo === place ? null : boundTo;
}

function isSetByOperator(serverId: string, one: Needed, parts: SecretParts): boolean {
  return one.variable !== null && parts.environment.has(one.variable) && boundElsewhere(serverId, one, parts) === null;
}

function stateOf(serverId: string, one: Needed, parts: SecretParts): NeededSecret['state'] {
  if (isSetByOperator(serverId, one, parts)) return 'environment';
  const found = parts.secrets.entered(serverId).find((other) => isSame(one, other));
  if (!found) return 'missing';
  return found.isReadable ? 'set' : 'unreadable';
}

function isSame(one: Named, other: Named): boolean {
  return one.kind === other.kind && stored(one).name === stored(other).name && one.place === other.place;
}

/** Returns the secret as stored: names of headers are case-insensitive. */
function stored({ kind, name, place }: Named): Named {
  return { kind, name: kind === 'header' ? name.toLowerCase() : name, place };
}

/** Returns the secrets of a server's current versions, each with the versions that need it. */
async function neededOf(serverId: string, parts: SecretParts): Promise<(Needed & { versions: string[] })[]> {
  const byKey = new Map<string, Needed & { versions: string[] }>();
  for (const { version, server } of await currentManifests(serverId, parts.catalogue)) {
    for (const one of neededBy(server, parts)) {
      const key = JSON.stringify([one.kind, stored(one).name, one.place]);
      const known = byKey.get(key) ?? { ...one, versions: [] };
      known.versions.push(version);
      byKey.set(key, known);
    }
  }
  return [...byKey.values()];
}

/** Returns the deployed and the staged version; without either, the last one, which may be deployed again. */
async function currentManifests(
  serverId: string,
  catalogue: SecretParts['catalogue'],
): Promise<{ version: string; server: ServerManifest }[]> {
  const heads = await catalogue.versions(serverId);
  const current = heads.filter(({ status }) => status === 'deployed' || status === 'staging');
  const chosen = current.length > 0 ? current : heads.slice(0, 1);
  const found = await Promise.all(
    chosen.map(async ({ version }) => ({ version, manifest: await catalogue.findManifest(serverId, version) })),
  );
  const manifests = found.flatMap(({ version, manifest }) =>
    manifest ? [{ version, server: { id: serverId, manifest } }] : [],
  );
  if (manifests.length === 0) throw new SoukError('not_found', { message: `There is no manifest of ${serverId}.` });
  return manifests;
}

function neededBy(server: NeedingServer, { needsOf }: SecretParts): Needed[] {
  const { auth, connection } = server.manifest;
  const needs = connection.type === 'stdio' ? needsOf(connection.command) : undefined;
  const place = secretPlace(server, () => needs?.place ?? '');
  const headers = auth.type === 'headers' && connection.type !== 'stdio' ? auth.headers : [];
  return [
    ...headers
      .filter(({ from }) => from === 'operator')
      .map(({ name }) => ({ kind: 'header' as const, name, place, variable: headerVariable(server.id, name) })),
    ...(needs?.names ?? []).map((name) => ({
      kind: 'variable' as const,
      name,
      place,
      variable: needs?.variableOf(name) ?? null,
    })),
  ];
}
