import { isDown, type Catalogue, type CatalogueServer, type CatalogueSnapshot } from '#features/catalogue/index.ts';
import type { Log } from '#platform/log.ts';

/** Returns why the last discovery or check of a server failed, in words for the operator. */
export type FailureOf = (serverId: string) => string | undefined;

/** Reasons logged per outage: a server may give another one at each check. */
const maxReasons = 8;
/** Looks for which a line waits for this broker's own reason, if another broker found the server down first. */
const looksForReason = 2;

/** Last logged state of a server. */
type Told = {
  deployedAtMs: number;
  /** The state stored by the previous run, until this one has asked. */
  before: string | undefined;
  /** performance.now() when the server was found down; undefined while it is up. */
  downAtMs: number | undefined;
  /** The reasons logged for this outage; empty while its line waits for one. */
  reasons: Set<string | undefined>;
  looksLeft: number;
};

/**
 * Logs a line when a server goes down (with the cause), comes back (after how long), is deployed or undeployed, and another
 * when it stays down for another reason.
 * @returns `look` logs servers that were asked and are still in the state of the previous run
 */
export function logServerChanges(options: { catalogue: Catalogue; failureOf: FailureOf; log: Log }): {
  look(): void;
  stop(): void;
} {
  const { catalogue, failureOf, log } = options;
  const known = new Map<string, Told>();
  for (const server of catalogue.snapshot().servers) {
    known.set(server.id, { deployedAtMs: server.deployedAtMs, before: stateOf(server), ...upAgain() });
  }

  function follow(
    { byId }: CatalogueSnapshot,
    changed: readonly CatalogueServer[],
    before: readonly CatalogueServer[],
  ): void {
    for (const server of changed) followServer(server);
    for (const { id } of before) {
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
      told = { ...(told ?? upAgain()), deployedAtMs, before: undefined };
      known.set(id, told);
    }
    if (told.before === stateOf(server)) return;
    told.before = undefined;
    if (isDown(server)) {
      told.downAtMs ??= performance.now();
      logReason(server, told);
    } else if (server.status === 'connected' && told.downAtMs !== undefined) {
      const downSeconds = Math.round((performance.now() - told.downAtMs) / 1000);
      Object.assign(told, upAgain());
      log.info({ server: id, downSeconds }, 'upstream up');
    }
  }

  function logReason({ id, status, statusDetail: cause }: CatalogueServer, { reasons, looksLeft }: Told): void {
    const reason = failureOf(id);
    const waits = reason === undefined && (reasons.size > 0 || looksLeft > 0);
    if (waits || reasons.has(reason) || reasons.size >= maxReasons) return;
    reasons.add(reason);
    // users see the cause; the reason may name addresses
    log.info({ server: id, status, cause, reason }, 'upstream down');
  }

  return {
    look() {
      for (const told of known.values()) {
        told.before = undefined;
        if (told.downAtMs !== undefined) told.looksLeft--;
      }
      catalogue.snapshot().servers.forEach(followServer);
    },
    stop: catalogue.onChange(follow),
  };
}

function upAgain(): Pick<Told, 'downAtMs' | 'reasons' | 'looksLeft'> {
  return { downAtMs: undefined, reasons: new Set(), looksLeft: looksForReason };
}

function stateOf({ status, statusDetail }: CatalogueServer): string {
  return `${status} ${statusDetail ?? ''}`;
}
