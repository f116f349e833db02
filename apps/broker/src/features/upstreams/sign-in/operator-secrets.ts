import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { ServerManifest } from '#features/catalogue/index.ts';

/**
 * Secrets that the operator supplies for all people, by environment variable or file (NAME_FILE):
 * - UPSTREAM_HEADER_{SERVER}__{NAME}: the value of a header that a manifest marks `from: "operator"`
 * - UPSTREAM_CLIENT_ID_{SERVER}, UPSTREAM_CLIENT_SECRET_{SERVER}: the OAuth client that the operator registered where the
 *   server's people sign in; the id may be in the manifest instead
 * - UPSTREAM_CLIENT_ISSUER_{SERVER}: the one authorization server that may see this client
 * SERVER and NAME are written in capitals with _ for -, so that `X-Api-Key` of `code-host` is
 * UPSTREAM_HEADER_CODE_HOST__X_API_KEY. Neither may contain _ itself, so no two share a variable.
 */
export type OperatorSecrets = {
  /** @throws UpstreamError not_set_up when the operator has not set it */
  header(serverId: string, name: string): string;
  clientId(serverId: string): string | undefined;
  clientSecret(serverId: string): string | undefined;
  clientIssuer(serverId: string): string | undefined;
};

export function createOperatorSecrets(secrets: ReadonlyMap<string, string>): OperatorSecrets {
  return {
    header(serverId, name) {
      const variable = headerVariable(serverId, name);
      const value = secrets.get(variable);
      if (value === undefined) throw new UpstreamError('not_set_up', `${variable} is not set`);
      return value;
    },
    clientId: (serverId) => secrets.get(clientIdVariable(serverId)),
    clientSecret: (serverId) => secrets.get(`UPSTREAM_CLIENT_SECRET_${asVariable(serverId)}`),
    clientIssuer: (serverId) => secrets.get(clientIssuerVariable(serverId)),
  };
}

/** The client that the operator registered there; the environment's, which needs no other manifest, before the manifest's. */
export function configuredClient(
  { id, manifest: { auth } }: ServerManifest,
  { secrets }: { secrets: OperatorSecrets },
): { clientId: string; clientSecret: string | undefined } | undefined {
  const clientId = secrets.clientId(id) ?? (auth.type === 'oauth' ? auth.clientId : undefined);
  return clientId === undefined ? undefined : { clientId, clientSecret: secrets.clientSecret(id) };
}

/** The variable that holds the value of a header. */
export function headerVariable(serverId: string, name: string): string {
  return `UPSTREAM_HEADER_${asVariable(serverId)}__${asVariable(name)}`;
}

/** The variable that holds the id of the client that the operator registered. */
export function clientIdVariable(serverId: string): string {
  return `UPSTREAM_CLIENT_ID_${asVariable(serverId)}`;
}

/** The variable that names where this client was registered. */
export function clientIssuerVariable(serverId: string): string {
  return `UPSTREAM_CLIENT_ISSUER_${asVariable(serverId)}`;
}

function asVariable(text: string): string {
  return text.toUpperCase().replaceAll('-', '_');
}
