import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { ServerManifest } from '#features/catalogue/index.ts';
import { secretPlace } from '../../secrets/secret-place.ts';
import type { ServerSecrets } from '../../secrets/server-secrets.ts';

/**
 * Secrets that the operator supplies for all users, by environment variable or file (NAME_FILE):
 * - UPSTREAM_HEADER_{SERVER}__{NAME}: the value of a header that a manifest marks `from: "operator"`
 * - UPSTREAM_CLIENT_ID_{SERVER}, UPSTREAM_CLIENT_SECRET_{SERVER}: the OAuth client that the operator registered where
 *   the server's users sign in; the id may be in the manifest instead
 * - UPSTREAM_CLIENT_ISSUER_{SERVER}: the only authorization server that may see this client
 *
 * SERVER and NAME are in capitals with _ for -: `X-Api-Key` of `code-host` is UPSTREAM_HEADER_CODE_HOST__X_API_KEY. A server
 * whose id contains `--` or ends with `-` has no header variables: another server's could have the same name. A header from the environment goes to one address only
 * (secrets/environment-places.ts). For every other address, an administrator may enter a value.
 */
export function createOperatorSecrets(
  secrets: ReadonlyMap<string, string>,
  entered: Pick<ServerSecrets, 'find'>,
  places: { boundTo(serverId: string): string | undefined },
) {
  return {
    /** @throws UpstreamError not_set_up when it is neither set nor entered for the address of this manifest */
    header(server: ServerManifest, name: string): string {
      const variable = headerVariable(server.id, name);
      const place = secretPlace(server);
      const set = variable === null ? undefined : secrets.get(variable);
      const boundTo = places.boundTo(server.id) ?? place;
      const value =
        (boundTo === place ? set : undefined) ??
        entered.find({ serverId: server.id, kind: 'header', name: name.toLowerCase(), place });
      if (value !== undefined) return value;
      throw new UpstreamError('not_set_up', notSetText(variable, name, set === undefined ? undefined : boundTo));
    },
    /** Returns the variables that set this manifest's headers, if no address of the server is bound to them yet. */
    unboundOf({ id, manifest: { auth } }: ServerManifest): string[] {
      if (auth.type !== 'headers' || places.boundTo(id) !== undefined) return [];
      return auth.headers.flatMap(({ name }) => {
        const variable = headerVariable(id, name);
        return variable !== null && secrets.has(variable) ? variable : [];
      });
    },
    /** Returns the values of all headers that the environment sets for a server. */
    headersOf(serverId: string): string[] {
      const start = headerVariable(serverId, '');
      if (start === null) return [];
      return [...secrets].flatMap(([variable, value]) => (variable.startsWith(start) ? value : []));
    },
    clientId: (serverId: string): string | undefined => secrets.get(clientIdVariable(serverId)),
    clientSecret: (serverId: string): string | undefined =>
      secrets.get(`UPSTREAM_CLIENT_SECRET_${asVariable(serverId)}`),
    clientIssuer: (serverId: string): string | undefined => secrets.get(clientIssuerVariable(serverId)),
  };
}

export type OperatorSecrets = ReturnType<typeof createOperatorSecrets>;

/** Returns the client that the operator registered, if any. The environment has precedence over the manifest. */
export function configuredClient(
  { id, manifest: { auth } }: ServerManifest,
  { secrets }: { secrets: OperatorSecrets },
): { clientId: string; clientSecret: string | undefined } | undefined {
  const clientId = secrets.clientId(id) ?? (auth.type === 'oauth' ? auth.clientId : undefined);
  return clientId === undefined ? undefined : { clientId, clientSecret: secrets.clientSecret(id) };
}

/** Returns a text for the operator: a secret is missing. @param boundTo the only address that gets the variable */
export function notSetText(variable: string | null, name: string, boundTo?: string): string {
  const entered = `${name} was not entered for it under Secrets on the server's page, or by npm run souk -- secret set`;
  if (variable === null) return entered;
  return boundTo === undefined
    ? `${variable} is not set, and ${entered}`
    : `${variable} is sent only to ${boundTo}, and ${entered}`;
}

/** Returns null for a server that has no header variables. */
export function headerVariable(serverId: string, name: string): string | null {
  if (/--|-$/.test(serverId)) return null;
  return `UPSTREAM_HEADER_${asVariable(serverId)}__${asVariable(name)}`;
}

export function clientIdVariable(serverId: string): string {
  return `UPSTREAM_CLIENT_ID_${asVariable(serverId)}`;
}

export function clientIssuerVariable(serverId: string): string {
  return `UPSTREAM_CLIENT_ISSUER_${asVariable(serverId)}`;
}

function asVariable(text: string): string {
  return text.toUpperCase().replaceAll('-', '_');
}
