import type { Catalogue } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Config } from '#platform/config.ts';
import type { Vault } from '#platform/crypto/vault.ts';
import type { Database } from '#platform/db/database.ts';
import type { Log } from '#platform/log.ts';
import { hideSecrets } from '#platform/text/hide-secrets.ts';
import { createOperatorSecrets, type OperatorSecrets } from '../sign-in/client/operator-secrets.ts';
import { createEnvironmentPlaces, type EnvironmentPlaces } from './environment-places.ts';
import { createServerSecrets, type ServerSecrets } from './server-secrets.ts';

/** The secrets of servers: entered by administrators, or set by the operator in the environment. */
export type OpenedSecrets = {
  entered: ServerSecrets;
  places: EnvironmentPlaces;
  secrets: OperatorSecrets;
  /** Removes a server's secrets from a text about it. */
  hide(serverId: string, text: string): string;
};

/** Whether a variable is not secret: ids of clients and addresses of issuers. */
const isPublic = (variable: string) => /^UPSTREAM_CLIENT_(?:ID|ISSUER)_/.test(variable);

export async function openSecrets(options: {
  db: Database;
  vault: Vault;
  catalogue: Catalogue;
  config: Pick<Config, 'upstreamSecrets'>;
  clock: Clock;
  log: Log;
}): Promise<OpenedSecrets> {
  const { upstreamSecrets: environment } = options.config;
  options.log.hideValues?.(
    'environment',
    [...environment].flatMap(([name, value]) => (isPublic(name) ? [] : value)),
  );
  const entered = await createServerSecrets(options);
  const places = await createEnvironmentPlaces({ ...options, environment });
  const secrets = createOperatorSecrets(environment, entered, places);
  return {
    entered,
    places,
    secrets,
    hide: (serverId, text) => hideSecrets(text, [...entered.valuesOf(serverId), ...secrets.headersOf(serverId)]),
  };
}
