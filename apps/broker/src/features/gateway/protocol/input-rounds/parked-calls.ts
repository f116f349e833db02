import { randomUUID } from 'node:crypto';
import { inputRequired, ProtocolError, type InputRequests } from '@modelcontextprotocol/server';
import { stopped, type OpenQuestions } from '../../call/open-questions.ts';
import type { InFlight } from '../../door/in-flight.ts';
import type { ResumableCall } from './elsewhere/taken-rounds.ts';
import { countAnswer, type ParkedCall, type RoundSide } from './parked-call.ts';
import { roundTtlMs, type BoundCall } from './request-state.ts';

const maxParked = 1000;
/** Each parked call takes one of the user's 16 places; this leaves half of them for other calls. */
const maxParkedPerUser = 8;
/** Parked calls that are remembered as ended without an answer. A state is valid for 600 s. */
const maxOver = 10_000;

type Waiting = { readonly call: ParkedCall; readonly bound: BoundCall };
type Parked = Waiting & {
  readonly expiry: NodeJS.Timeout;
  /** Removes it from the calls that a stop waits for. */
  leave(): void;
  /** Removes it from the calls with an open question, which a stop ends first. */
  leaveQuestions(): void;
};

/** The calls that wait in this process for the next round of their client. */
export function createParkedCalls(parts: {
  /** Counts parked calls among what a stop waits for, until it has ended them. */
  underWay: Pick<InFlight, 'enter'>;
  questions: Pick<OpenQuestions, 'enter'>;
  /** Makes the requestState with which the client's next round finds the call. */
  seal(call: ParkedCall, id: string, bound: BoundCall): Promise<string>;
}) {
  const parked = new Map<string, Parked>();
  const over = new Set<string>();

  function forget(id: string): Parked | undefined {
    const known = parked.get(id);
    clearTimeout(known?.expiry);
    parked.delete(id);
    known?.leaveQuestions();
    return known;
  }

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

  function hasRoom(userId: string): boolean {
    const own = [...parked.values()].filter(({ call }) => call.userId === userId).length;
    return parked.size < maxParked && own < maxParkedPerUser;
  }

  /** @returns undefined while the gateway stops: then the call has been ended */
  function park(call: ParkedCall, bound: BoundCall): string | undefined {
    const id = randomUUID();
    const expiry = setTimeout(() => end(id), roundTtlMs).unref();
    const known: Parked = { call, bound, expiry, leave: parts.underWay.enter(), leaveQuestions() {} };
    parked.set(id, known);
    known.leaveQuestions = parts.questions.enter(() => end(id, stopped));
    return parked.has(id) ? id : undefined;
  }

  /** Returns the questions and a requestState for the client while the call continues to run. */
  async function pause({ call, bound }: Waiting, inputRequests: InputRequests, client: AbortSignal): Promise<object> {
    // a client that has just hung up will not continue the call
    if (client.aborted || !hasRoom(bound.userId)) {
      call.end();
      const why = client.aborted ? 'The client has gone' : 'Too many calls are already waiting for an answer';
      throw new ProtocolError(-32603, why);
    }
    const id = park(call, bound);
    // the stopped call answers with a text that says so
    if (id === undefined) return call.running;
    return inputRequired({ inputRequests, requestState: await parts.seal(call, id, bound) });
  }

  return {
    pause,
    /** Takes a parked call out for its next round: each state is used once. */
    takeOut(id: string): ResumableCall | undefined {
      const waiting = forget(id);
      waiting?.leave();
      if (!waiting) return undefined;
      const { call } = waiting;
      return {
        userId: call.userId,
        end: call.end,
        async goOn(side: RoundSide, answers) {
          countAnswer(call.logical);
          const round = await call.round(side, answers);
          return 'answer' in round ? round.answer : pause(waiting, round.questions, side.signal);
        },
      };
    },
    /** Whether a call that was parked here has ended without an answer. */
    isOver: (id: string) => over.has(id),
    endAll(): void {
      for (const id of parked.keys()) end(id, stopped);
    },
  };
}
