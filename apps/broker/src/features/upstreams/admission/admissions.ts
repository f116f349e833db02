import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { oneBroker, shareOf, type LiveBrokers } from '#platform/db/share-of.ts';
import type { UnreadAnswers } from '#platform/http/connections/unread-answers.ts';
import type { Clock } from '#platform/clock.ts';
import type { Timers } from '../pool/timers.ts';
import type { CallOutcome } from './breaker.ts';
import { createFairQueue, type FairQueue } from './fair-queue.ts';
import { createServerBreakers, type ServerBreakers } from './server-breakers.ts';

/** A call that may go to its server now. */
export type Admission = {
  /** Releases the place with the outcome of the call. Only the first call counts. */
  leave(outcome: CallOutcome): void;
};

/**
 * Decides which calls may go to a server now, by its breaker, its places, the user's places, and a fair queue of
 * waiting calls.
 */
export type Admissions = Pick<ServerBreakers, 'retryNow' | 'answeredCheck' | 'failedCheck' | 'openUntilMs'> & {
  /**
   * Takes a place if one is free, without a promise or timer. Returns undefined when the call has to wait.
   * @throws UpstreamError unreachable while the circuit is open
   */
  admitNow(server: CatalogueServer, userId: string): Admission | undefined;
  /**
   * Waits for a place.
   * @throws UpstreamError unreachable, busy (queue full, or 2 s), cancelled
   */
  admit(server: CatalogueServer, userId: string, signal?: AbortSignal): Promise<Admission>;
  /** Totals over all servers. */
  figures(): { callsInFlight: number; callsWaiting: number };
  inFlight(serverId: string): number;
  stop(): void;
};

export type AdmissionLimits = {
  /** Replaces the limit of every manifest, for benchmarks and tests. */
  callsInFlightPerServer: number | undefined;
  callsInFlightPerUser: number;
};

type Gate = { server: CatalogueServer; inFlight: number; queue: FairQueue<Admission> };

export function createAdmissions(options: {
  limits: AdmissionLimits;
  clock: Clock;
  timers: Timers;
  /** A call keeps one of the user's places until its answer was read. */
  unread?: Pick<UnreadAnswers, 'answersOf' | 'onRead'> | undefined;
  /** The live brokers, which share the places. */
  brokers?: Pick<LiveBrokers, 'count'> | undefined;
}): Admissions {
  const { limits, timers, unread, brokers = oneBroker } = options;
  const breakers = createServerBreakers(options.clock);
  const gates = new Map<string, Gate>();
  /** Gates with waiting calls. */
  const crowded = new Set<Gate>();
  const callsOfUser = new Map<string, number>();

  function gateOf(server: CatalogueServer): Gate {
    let gate = gates.get(server.id);
    if (!gate) {
      const queue = createFairQueue<Admission>(server.id, timers);
      gate = { server, inFlight: 0, queue };
      gates.set(server.id, gate);
    }
    gate.server = server;
    return gate;
  }

  /** Returns undefined when the server or the user has no free place. */
  function take(gate: Gate, userId: string): Admission | undefined {
    const maxInFlight = shareOf(limits.callsInFlightPerServer ?? gate.server.manifest.maxInFlight, brokers);
    const ofUser = callsOfUser.get(userId) ?? 0;
    const places = shareOf(limits.callsInFlightPerUser, brokers) - (unread?.answersOf(userId) ?? 0);
    if (gate.inFlight >= maxInFlight || ofUser >= places) return undefined;
    const leaveBreaker = breakers.enter(gate.server, userId);
    gate.inFlight++;
    callsOfUser.set(userId, ofUser + 1);
    let hasLeft = false;
    return {
      leave(outcome) {
        if (hasLeft) return;
        hasLeft = true;
        leaveBreaker(outcome);
        gate.inFlight--;
        releasePlaceOf(userId);
        // A call to another server may be waiting for this user's place.
        serveCrowded();
      },
    };
  }

  function releasePlaceOf(userId: string): void {
    const left = (callsOfUser.get(userId) ?? 1) - 1;
    if (left > 0) callsOfUser.set(userId, left);
    else callsOfUser.delete(userId);
  }

  function serve(gate: Gate): void {
    while (gate.queue.next((userId) => take(gate, userId)));
    if (gate.queue.size === 0) crowded.delete(gate);
  }

  function serveCrowded(): void {
    for (const gate of crowded) serve(gate);
  }
  unread?.onRead(serveCrowded);

  // A new call cannot overtake a waiting one: a freed place is offered to the queue before another call can ask.
  const admitNow = (server: CatalogueServer, userId: string) => take(gateOf(server), userId);

  return {
    ...breakers,
    admitNow,
    async admit(server, userId, signal) {
      const admission = admitNow(server, userId);
      if (admission) return admission;
      const gate = gateOf(server);
      crowded.add(gate);
      try {
        return await gate.queue.wait(userId, signal);
      } finally {
        if (gate.queue.size === 0) crowded.delete(gate);
      }
    },
    figures() {
      const all = [...gates.values()];
      return {
        callsInFlight: all.reduce((sum, { inFlight }) => sum + inFlight, 0),
        callsWaiting: all.reduce((sum, { queue }) => sum + queue.size, 0),
      };
    },
    inFlight: (serverId) => gates.get(serverId)?.inFlight ?? 0,
    stop() {
      for (const { queue } of gates.values()) queue.refuseAll(new UpstreamError('closed', 'the broker is stopping'));
    },
  };
}
