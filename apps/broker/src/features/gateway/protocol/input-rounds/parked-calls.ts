import { randomUUID } from 'node:crypto';
import { stopped, type OpenQuestions } from '../../call/open-questions.ts';
import type { InFlight } from '../../door/in-flight.ts';
import type { ParkedCall } from './parked-call.ts';
import { roundTtlMs, type BoundCall } from './request-state.ts';

const maxParked = 1000;
/** Each parked call takes one of the user's 16 places; this leaves half of them for other calls. */
const maxParkedPerUser = 8;
/** Parked calls that are remembered as ended without an answer; a state is good for 600 s. */
const maxOver = 10_000;

type Waiting = { readonly call: ParkedCall<object>; readonly bound: BoundCall };
type Parked = Waiting & {
  readonly expiry: NodeJS.Timeout;
  /** Leaves the calls that a stop waits for, and those that it ends first. */
  leave(): void;
  waitsNoMore(): void;
};

/** The calls that wait in this process for the next round of their client. */
export function createParkedCalls({
  underWay,
  questions,
}: {
  /** Counts parked calls among those that a stop waits for: until it has ended them. */
  underWay: Pick<InFlight, 'enter'>;
  questions: Pick<OpenQuestions, 'enter'>;
}) {
  const parked = new Map<string, Parked>();
  const over = new Set<string>();

  function forget(id: string): Parked | undefined {
    const known = parked.get(id);
    clearTimeout(known?.expiry);
    parked.delete(id);
    known?.waitsNoMore();
    return known;
  }

  /** Ends a call whose question stays without an answer. */
  function end(id: string, why?: Error): void {
    const known = forget(id);
    if (!known) return;
    over.add(id);
    const [oldest] = over.size > maxOver ? over : [];
    if (oldest !== undefined) over.delete(oldest);
    known.call.end(why);
    // a stop waits until its end is recorded
    known.call.running.catch(() => {}).finally(known.leave);
  }

  return {
    hasRoom(userId: string): boolean {
      const own = [...parked.values()].filter(({ call }) => call.userId === userId).length;
      return parked.size < maxParked && own < maxParkedPerUser;
    },
    /** @returns undefined while the gateway stops: then the call has been ended */
    park(call: ParkedCall<object>, bound: BoundCall): string | undefined {
      const id = randomUUID();
      const expiry = setTimeout(() => end(id), roundTtlMs).unref();
      const known: Parked = { call, bound, expiry, leave: underWay.enter(), waitsNoMore() {} };
      parked.set(id, known);
      known.waitsNoMore = questions.enter(() => end(id, stopped));
      return parked.has(id) ? id : undefined;
    },
    takeOut(id: string): Waiting | undefined {
      const known = forget(id);
      known?.leave();
      return known;
    },
    /** Whether a call that was parked here has ended without an answer. */
    isOver: (id: string) => over.has(id),
    endAll(): void {
      for (const id of parked.keys()) end(id, stopped);
    },
  };
}
