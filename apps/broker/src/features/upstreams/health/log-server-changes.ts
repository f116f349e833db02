import { isDown, type Catalogue, type CatalogueServer, type CatalogueSnapshot } from '#features/catalogue/index.ts';
import type { Log } from '#platform/log.ts';

/** Returns why the last discovery or check of a server failed, in words for the operator. */
export type FailureOf = (serverId: string) => string | undefined;

/** Reasons logged per outage: a server may give a new one at each check. */
const maxReasons = 8;
/**
 * Calls of `look` for which the line waits for this broker's own reason, if another broker found the server down first.
 */
const ticksForReason = 2;

type LoggedState = {
  deployedAtMs: number;
  /** State that the previous process stored, until this one has asked the server. */
  before: string | undefined;
  /** performance.now() when the server was found down; undefined while it is up. */
  downAtMs: number | undefined;
  /** Reasons logged for this outage; empty while the line waits for one. */
  reasons: Set<string | undefined>;
  ticksLeft: number;
};

/**
 * Logs when a server goes down (with the cause), comes back (with the duration), is deployed or undeployed, and when it
 * stays down for another reason.
 * @returns `look`, to be called at each check interval, logs servers that are still in the state that the previous
 *   process stored
 */
export function logServerChanges(options: { catalogue: Catalogue; failureOf: FailureOf; log: Log }): {
  look(): void;
  stop(): void;
} {
  const { catalogue, failureOf, log } = options;
  const known = new Map<string, LoggedState>();
  for (const server of catalogue.snapshot().servers) {
    known.set(server.id, { deployedAtMs: server.deployedAtMs, before: stateOf(server), ...upState() });
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
    let logged = known.get(id);
    if (logged?.deployedAtMs !== deployedAtMs) {
      log.info({ server: id, version: server.manifest.version }, 'server deployed');
      logged = { ...(logged ?? upState()), deployedAtMs, before: undefined };
      known.set(id, logged);
    }
    if (logged.before === stateOf(server)) return;
    logged.before = undefined;
    if (isDown(server)) {
      logged.downAtMs ??= performance.now();
      logReason(server, logged);
    } else if (server.status === 'connected' && logged.downAtMs !== undefined) {
      const downSeconds = Math.round((performance.now() - logged.downAtMs) / 1000);
      Object.assign(logged, upState());
      log.info({ server: id, downSeconds }, 'upstream up');
    }
  }

  function logReason({ id, status, statusDetail: cause }: CatalogueServer, { reasons, ticksLeft }: LoggedState): void {
    const reason = failureOf(id);
    const waits = reason === undefined && (reasons.size > 0 || ticksLeft > 0);
    if (waits || reasons.has(reason) || reasons.size >= maxReasons) return;
    reasons.add(reason);
    // users see the cause; the reason may name addresses
    log.info({ server: id, status, cause, reason }, 'upstream down');
  }

  return {
    look() {
      for (const logged of known.values()) {
        logged.before = undefined;
        if (logged.downAtMs !== undefined) logged.ticksLeft--;
      }
      catalogue.snapshot().servers.forEach(followServer);
    },
    stop: catalogue.onChange(follow),
  };
}

function upState(): Pick<LoggedState, 'downAtMs' | 'reasons' | 'ticksLeft'> {
  return { downAtMs: undefined, reasons: new Set(), ticksLeft: ticksForReason };
}

function stateOf({ status, statusDetail }: CatalogueServer): string {
  return `${status} ${statusDetail ?? ''}`;
}
