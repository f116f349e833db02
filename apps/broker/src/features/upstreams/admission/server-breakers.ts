import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import { isProgram } from '../pool/connection-key.ts';
import { isPerUser } from '../pool/upstream-target.ts';
import { Breaker, type CallOutcome } from './breaker.ts';

/**
 * Outcomes of a crashed program. The supervisor counts its crashes (processes/supervisor.ts): one crash can end many
 * calls.
 */
const endings: ReadonlySet<CallOutcome> = new Set(['closed', 'unreachable']);

/** Users whose circuits are kept per server. The oldest is dropped for a new one. */
const maxPeople = 1_000;

type Circuits = { everyone: Breaker; people: Map<string, Breaker> };

/** The circuits of each server: one for everyone, and one per user who calls it. */
export function createServerBreakers(clock: Clock) {
  const byServer = new Map<string, Circuits>();

  function circuitsOf(serverId: string): Circuits {
    let circuits = byServer.get(serverId);
    if (!circuits) {
      circuits = { everyone: new Breaker(clock, 'server'), people: new Map() };
      byServer.set(serverId, circuits);
    }
    return circuits;
  }

  return {
    /**
     * Lets a call through.
     * @returns a function to call once with the outcome of the call
     * @throws UpstreamError unreachable while the circuit is open, for everyone or for this user
     */
    enter(server: CatalogueServer, userId: string): (outcome: CallOutcome) => void {
      const circuits = circuitsOf(server.id);
      const ofProgram = isProgram(server);
      // each user has their own process: its failures say nothing about those of other users
      const everyone = ofProgram && isPerUser(server) ? undefined : circuits.everyone;
      const own = circuitOf(circuits, userId, clock);
      const ownPass = own.enter(userId);
      if (!ownPass) throw paused(server, own, clock);
      const pass = everyone?.enter(userId);
      if (everyone && !pass) {
        own.leave(ownPass, 'cancelled');
        throw paused(server, everyone, clock);
      }
      return (outcome) => {
        const counted = ofProgram && endings.has(outcome) ? 'restarting' : outcome;
        own.leave(ownPass, counted);
        if (!everyone || !pass) return;
        const wasOpen = everyone.openUntilMs !== undefined;
        everyone.leave(pass, counted);
        if (wasOpen && everyone.openUntilMs === undefined) retryPeople(circuits);
      };
    },
    retryNow(serverId: string): void {
      const circuits = byServer.get(serverId);
      circuits?.everyone.retryNow();
      if (circuits) retryPeople(circuits);
    },
    answeredCheck(serverId: string): void {
      const circuits = byServer.get(serverId);
      circuits?.everyone.answeredCheck();
      for (const own of circuits?.people.values() ?? []) own.answeredCheck();
    },
    failedCheck: (serverId: string, outcome: CallOutcome): void => circuitsOf(serverId).everyone.failedCheck(outcome),
    /** Time when the circuit for everyone becomes half-open; undefined while it is closed. */
    openUntilMs: (serverId: string): number | undefined => byServer.get(serverId)?.everyone.openUntilMs,
  };
}

export type ServerBreakers = ReturnType<typeof createServerBreakers>;

function circuitOf({ people }: Circuits, userId: string, clock: Clock): Breaker {
  let own = people.get(userId);
  if (own) return own;
  const [first] = people.size < maxPeople ? [] : people.keys();
  if (first !== undefined) people.delete(first);
  own = new Breaker(clock, 'person');
  people.set(userId, own);
  return own;
}

/** Lets each user probe immediately, because the server answers again. */
function retryPeople({ people }: Circuits): void {
  for (const own of people.values()) own.retryNow();
}

function paused(server: CatalogueServer, { openUntilMs }: Breaker, clock: Clock): UpstreamError {
  const retryAfterMs = Math.max(0, (openUntilMs ?? 0) - clock.now());
  return new UpstreamError('unreachable', `${server.id} is paused after repeated failures`, { retryAfterMs });
}
