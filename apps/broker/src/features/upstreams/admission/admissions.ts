import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { oneBroker, shareOf, type LiveBrokers } from '#platform/db/share-of.ts';
import type { UnreadAnswers } from '#platform/http/connections/unread-answers.ts';
import type { Clock } from '#platform/clock.ts';
import type { Timers } from '../pool/timers.ts';
import type { CallOutcome } from './breaker.ts';
import { createFairQueue, queueLimits, type FairQueue } from './fair-queue.ts';
import { createServerBreakers, type ServerBreakers } from './server-breakers.ts';

/** A call that may go to its server now. */
export type Admission = {
  /** Gives the place back, with why the call failed: undefined when the server answered. Only the first counts. */
  leave(outcome: CallOutcome): void;
};

/** Decides which calls may go to a server now: by its breaker, its places, the person's places, and a fair queue for them. */
export type Admissions = Pick<ServerBreakers, 'retryNow' | 'answeredCheck' | 'failedCheck' | 'openUntilMs'> & {
  /**
   * A place, if one is free: no promise, no timer. Undefined when the call has to wait.
   * @throws UpstreamError unreachable while the circuit is open
   */
  admitNow(server: CatalogueServer, userId: string): Admission | undefined;
  /**
   * The same, and waits for a place.
   * @throws UpstreamError unreachable, busy (queue full, or 2 s), cancelled
   */
  admit(server: CatalogueServer, userId: string, signal?: AbortSignal): Promise<Admission>;
  /** Of all servers together. */
  figures(): { callsInFlight: number; callsWaiting: number };
  /** Calls under way to a server. */
  inFlight(serverId: string): number;
  stop(): void;
};

export type AdmissionLimits = {
  /** Instead of every manifest's own figure: for benchmarks and proofs. */
  callsInFlightPerServer: number | undefined;
  callsInFlightPerUser: number;
};

/** The places of one server and the calls that wait for them. */
type Gate = { server: CatalogueServer; inFlight: number; queue: FairQueue<Admission> };

export function createAdmissions(options: {
  limits: AdmissionLimits;
  clock: Clock;
  timers: Timers;
  /** A call has its place among the person's until its answer was read. */
  unread?: Pick<UnreadAnswers, 'answersOf' | 'onRead'> | undefined;
  queue?: { maxWaiting: number; maxWaitMs: number };
  /** Places are shared out among them. */
  brokers?: Pick<LiveBrokers, 'count'> | undefined;
}): Admissions {
  const { limits, timers, unread, brokers = oneBroker } = options;
  const breakers = createServerBreakers(options.clock);
  const gates = new Map<string, Gate>();
  /** Gates with calls that wait. */
  const crowded = new Set<Gate>();
  const callsOfUser = new Map<string, number>();

  function gateOf(server: CatalogueServer): Gate {
    let gate = gates.get(server.id);
    if (!gate) {
      const queue = createFairQueue<Admission>(server.id, { timers, ...queueLimits, ...options.queue });
      gate = { server, inFlight: 0, queue };
      gates.set(server.id, gate);
    }
    gate.server = server;
    return gate;
  }

  /** Undefined when the server or the person has no place free. */
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
        leavePerson(userId);
        // A call at another server may be waiting for this person's place.
        serveCrowded();
      },
    };
  }

  function leavePerson(userId: string): void {
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

  // A new call overtakes no waiting one: a place that comes free is offered to the queue before another call can ask.
  const admitNow = (server: CatalogueServer, userId: string) => take(gateOf(server), userId);

  return {
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
    retryNow: breakers.retryNow,
    answeredCheck: breakers.answeredCheck,
    failedCheck: breakers.failedCheck,
    openUntilMs: breakers.openUntilMs,
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
