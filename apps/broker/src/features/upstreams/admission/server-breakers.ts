import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import { isProgram } from '../pool/connection-key.ts';
import { isPerUser } from '../pool/upstream-target.ts';
import { createBreaker, type Breaker, type CallOutcome } from './breaker.ts';

/** The breaker of each server, and of each person where each has a process of their own. */
export type ServerBreakers = {
  /**
   * Lets a call through.
   * @returns to be called once with what became of the call
   * @throws UpstreamError unreachable while the circuit is open
   */
  enter(server: CatalogueServer, userId: string): (outcome: CallOutcome) => void;
  retryNow(serverId: string): void;
  answeredCheck(serverId: string): void;
  /** When the circuit of a shared server becomes half-open; undefined while it is closed. */
  openUntilMs(serverId: string): number | undefined;
};

/**
 * How a program ends and is started again is judged where it is started (processes/supervisor.ts), which knows its crashes:
 * one of them can end many calls at once.
 */
const endings: ReadonlySet<CallOutcome> = new Set(['closed', 'unreachable']);

export function createServerBreakers(clock: Clock): ServerBreakers {
  const shared = new Map<string, Breaker>();
  /** By `server/person`. Only those that remember a failure are kept. */
  const personal = new Map<string, Breaker>();

  function breakerIn(breakers: Map<string, Breaker>, key: string): Breaker {
    const breaker = breakers.get(key) ?? createBreaker(clock);
    breakers.set(key, breaker);
    return breaker;
  }

  return {
    enter(server, userId) {
      const ofProgram = isProgram(server);
      const ownKey = ofProgram && isPerUser(server) ? `${server.id}/${userId}` : undefined;
      const breaker = ownKey === undefined ? breakerIn(shared, server.id) : breakerIn(personal, ownKey);
      const pass = breaker.enter();
      if (pass === undefined) {
        const retryAfterMs = Math.max(0, (breaker.openUntilMs ?? 0) - clock.now());
        throw new UpstreamError('unreachable', `${server.id} is paused after repeated failures`, { retryAfterMs });
      }
      return (outcome) => {
        breaker.leave(pass, ofProgram && endings.has(outcome) ? 'restarting' : outcome);
        if (ownKey !== undefined && breaker.isClear) personal.delete(ownKey);
      };
    },
    retryNow(serverId) {
      shared.get(serverId)?.retryNow();
      for (const [key, breaker] of personal) if (key.startsWith(`${serverId}/`)) breaker.retryNow();
    },
    answeredCheck: (serverId) => shared.get(serverId)?.answeredCheck(),
    openUntilMs: (serverId) => shared.get(serverId)?.openUntilMs,
  };
}
