import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import type { Clock } from '#platform/clock.ts';
import type { Timers } from '../timers.ts';
import { isProgram } from '../connection-key.ts';
import { isPerUser } from '../upstream-target.ts';
import { createBreaker, type Breaker, type BreakerPass, type CallOutcome } from './breaker.ts';
import { createFairQueue, queueLimits, type FairQueue } from './fair-queue.ts';

/** A call that may go to its server now. */
export type Admission = {
  /** Gives the place back, with why the call failed: undefined when the server answered. Only the first counts. */
  settle(outcome: CallOutcome): void;
};

/** Decides which call may go to a server now: its breaker, its places, the person's places, and a fair queue for them. */
export type Admissions = {
  /**
   * A place when one is free and nobody waits for it: no promise, no timer. Undefined when the call has to wait.
   * @throws UpstreamError unreachable while the breaker is open
   */
  admitNow(server: CatalogueServer, userId: string): Admission | undefined;
  /**
   * The same, and waits for a place.
   * @throws UpstreamError unreachable, busy (queue full, or 2 s), cancelled
   */
  admit(server: CatalogueServer, userId: string, signal?: AbortSignal): Promise<Admission>;
  /** A server is back, or somebody asked for it anew: its next call may find out. */
  retryNow(serverId: string): void;
  /** A server answered a check: where it was gone, its next call may find out, once. */
  seenWell(serverId: string): void;
  /** When the breaker of a server for everybody lets the next call through; undefined while it is closed. */
  openUntilMs(serverId: string): number | undefined;
  /** Calls under way to a server. */
  inFlight(serverId: string): number;
  stop(): void;
};

export type AdmissionLimits = {
  /** Instead of every manifest's own figure: for benchmarks and proofs. */
  callsInFlightPerServer: number | undefined;
  callsInFlightPerUser: number;
};

/**
 * How a program ends and is started again is judged where it is started (processes/supervisor.ts), which knows its crashes:
 * one of them can end many calls at once.
 */
const endings: ReadonlySet<CallOutcome> = new Set(['closed', 'unreachable']);

type Gate = { server: CatalogueServer; inFlight: number; queue: FairQueue<Admission>; breaker: Breaker };

export function createAdmissions(options: {
  limits: AdmissionLimits;
  clock: Clock;
  timers: Timers;
  queue?: { maxWaiting: number; maxWaitMs: number };
}): Admissions {
  const { limits, clock, timers } = options;
  const gates = new Map<string, Gate>();
  /** Gates at which somebody waits. */
  const crowded = new Set<Gate>();
  /** Breakers of processes that serve one person: one person's crashes are nobody else's. Those with a failure alone. */
  const personal = new Map<string, Breaker>();
  const callsOfUser = new Map<string, number>();

  function gateOf(server: CatalogueServer): Gate {
    let gate = gates.get(server.id);
    if (!gate) {
      const queue = createFairQueue<Admission>(server.id, { timers, ...queueLimits, ...options.queue });
      gate = { server, inFlight: 0, queue, breaker: createBreaker(clock) };
      gates.set(server.id, gate);
    }
    gate.server = server;
    return gate;
  }

  function breakerOf({ server, breaker }: Gate, userId: string): { breaker: Breaker; key: string | undefined } {
    if (!isProgram(server) || !isPerUser(server)) return { breaker, key: undefined };
    const key = `${server.id}/${userId}`;
    let own = personal.get(key);
    if (!own) personal.set(key, (own = createBreaker(clock)));
    return { breaker: own, key };
  }

  /** A place in all that is counted; undefined when the server or the person has none free. */
  function take(gate: Gate, userId: string): Admission | undefined {
    const ofUser = callsOfUser.get(userId) ?? 0;
    const max = limits.callsInFlightPerServer ?? gate.server.manifest.maxInFlight;
    if (gate.inFlight >= max || ofUser >= limits.callsInFlightPerUser) return undefined;
    const { breaker, key } = breakerOf(gate, userId);
    const pass = breaker.enter();
    if (pass === undefined) throw leftAlone(gate.server, breaker);
    gate.inFlight++;
    callsOfUser.set(userId, ofUser + 1);
    const ofProgram = isProgram(gate.server);
    let settled = false;
    return {
      settle(outcome) {
        if (settled) return;
        settled = true;
        leave(breaker, pass, ofProgram && endings.has(outcome) ? 'restarting' : outcome, key);
        gate.inFlight--;
        const left = (callsOfUser.get(userId) ?? 1) - 1;
        if (left > 0) callsOfUser.set(userId, left);
        else callsOfUser.delete(userId);
        // the person's place may be what a call at another server waits for
        for (const other of crowded) serve(other);
      },
    };
  }

  function leftAlone({ id }: CatalogueServer, { openUntilMs = 0 }: Breaker): UpstreamError {
    const retryAfterMs = Math.max(0, openUntilMs - clock.now());
    return new UpstreamError('unreachable', `${id} is left alone after its failures`, { retryAfterMs });
  }

  function leave(breaker: Breaker, pass: BreakerPass, outcome: CallOutcome, key: string | undefined): void {
    breaker.leave(pass, outcome);
    if (key !== undefined && breaker.isWell) personal.delete(key);
  }

  function serve(gate: Gate): void {
    while (gate.queue.next((userId) => take(gate, userId)));
    if (gate.queue.size === 0) crowded.delete(gate);
  }

  function admitNow(server: CatalogueServer, userId: string): Admission | undefined {
    // overtakes nobody: a place that comes free is offered to all who wait before anybody else can ask
    return take(gateOf(server), userId);
  }

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
    retryNow(serverId) {
      gates.get(serverId)?.breaker.retryNow();
      for (const [key, breaker] of personal) if (key.startsWith(`${serverId}/`)) breaker.retryNow();
    },
    seenWell: (serverId) => gates.get(serverId)?.breaker.seenWell(),
    openUntilMs: (serverId) => gates.get(serverId)?.breaker.openUntilMs,
    inFlight: (serverId) => gates.get(serverId)?.inFlight ?? 0,
    stop() {
      for (const { queue } of gates.values()) queue.refuseAll(new UpstreamError('closed', 'the broker is stopping'));
    },
  };
}
