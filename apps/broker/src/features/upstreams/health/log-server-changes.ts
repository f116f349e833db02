import { isDown, type Catalogue, type CatalogueServer, type CatalogueSnapshot } from '#features/catalogue/index.ts';
import type { Log } from '#platform/log.ts';

/** Why a server could not be asked last, in an operator's words. */
export type FailureOf = (serverId: string) => string | undefined;

/** What was told of a server last. */
type Told = {
  deployedAtMs: number;
  /** The status that is stored from the run before, until this one has asked. */
  before: string | undefined;
  /** performance.now() of when it was found down; undefined while it is up. */
  downAtMs: number | undefined;
};

/**
 * One line when a server goes down (with the cause) or comes back (after how long), is deployed or is taken away.
 * @returns `look` tells of servers that are still as the run before has left them, once they were asked
 */
export function logServerChanges(options: { catalogue: Catalogue; failureOf: FailureOf; log: Log }): {
  look(): void;
  stop(): void;
} {
  const { catalogue, failureOf, log } = options;
  const known = new Map<string, Told>();
  for (const server of catalogue.snapshot().servers) {
    known.set(server.id, { deployedAtMs: server.deployedAtMs, before: stateOf(server), downAtMs: undefined });
  }

  function follow({ byId }: CatalogueSnapshot, changed: readonly CatalogueServer[]): void {
    for (const server of changed) followServer(server);
    for (const id of known.keys()) {
      if (byId.has(id)) continue;
      known.delete(id);
      log.info({ server: id }, 'server undeployed');
    }
  }

  function followServer(server: CatalogueServer): void {
    const { id, deployedAtMs } = server;
    let told = known.get(id);
    if (told?.deployedAtMs !== deployedAtMs) {
      log.info({ server: id, version: server.manifest.version }, 'server deployed');
      told = { deployedAtMs, before: undefined, downAtMs: told?.downAtMs };
      known.set(id, told);
    }
    if (told.before === stateOf(server)) return;
    told.before = undefined;
    if (isDown(server) && told.downAtMs === undefined) {
      told.downAtMs = performance.now();
      const { status, statusDetail: cause } = server;
      // the cause is what people see; the reason may name addresses
      log.info({ server: id, status, cause, reason: failureOf(id) }, 'upstream down');
    } else if (server.status === 'connected' && told.downAtMs !== undefined) {
      const downSeconds = Math.round((performance.now() - told.downAtMs) / 1000);
      told.downAtMs = undefined;
      log.info({ server: id, downSeconds }, 'upstream up');
    }
  }

  return {
    look() {
      for (const told of known.values()) told.before = undefined;
      const snapshot = catalogue.snapshot();
      follow(snapshot, snapshot.servers);
    },
    stop: catalogue.onChange(follow),
  };
}

function stateOf({ status, statusDetail }: CatalogueServer): string {
  return `${status} ${statusDetail ?? ''}`;
}
