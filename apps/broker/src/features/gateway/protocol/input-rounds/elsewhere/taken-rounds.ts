import { ProtocolError } from '@modelcontextprotocol/server';
import { parseExactly } from '#platform/json/exact-numbers.ts';
import type { Ids } from '#platform/ids.ts';
import { asRecord } from '#platform/json.ts';
import type { Log } from '#platform/log.ts';
import type { InFlight } from '../../../door/in-flight.ts';
import type { MessageRows } from '../../../replicas/message-rows.ts';
import type { RoundSide } from '../parked-call.ts';
import { createNewest } from './newest.ts';
import { writeEnd, type RoundEnd } from './round-end.ts';
import { writeNotice, type RoundNotice } from './round-notices.ts';

/** How often the other processes hear that their rounds still run. */
const wordEveryMs = 2000;
/** As many ids fit into a notice. */
const idsInNotice = 100;
/** NOTIFY is a commit: of a round's progress, and of its log, four notices a second. */
const noticeEveryMs = 250;

/** A call that was parked in this process, taken out for one round. */
export type HeldCall = {
  readonly userId: string;
  /** Passes the client's answers on; resolves to the answer for the client, as the call or its next questions. */
  goOn(side: RoundSide, answers: Record<string, unknown>): Promise<object>;
  end(): void;
};

/** The calls that wait in this process. */
export type WaitingHere = {
  /** Takes a parked call out; undefined if it is not parked here any more. */
  takeOut(parked: string): HeldCall | undefined;
  /** Whether a parked call has ended without an answer. */
  isOver(parked: string): boolean;
};

/** Rounds that this process runs for clients of others. */
export type TakenRounds = ReturnType<typeof createTakenRounds>;

export function createTakenRounds({
  broker,
  rows,
  tell,
  takeOut,
  isOver,
  underWay,
  ids,
  log,
}: {
  broker: string;
  rows: MessageRows;
  tell(notice: RoundNotice): Promise<void>;
  takeOut: WaitingHere['takeOut'];
  isOver: WaitingHere['isOver'];
  /** Counts them among those that a stop waits for. */
  underWay: Pick<InFlight, 'enter'>;
  ids: Ids;
  log: Log;
}) {
  type Running = { abort: AbortController; from: string | undefined; ended: Promise<void> };
  const running = new Map<string, Running>();
  const words = setInterval(() => {
    const rounds = [...running.keys()];
    for (let at = 0; at < rounds.length; at += idsInNotice) {
      void tell({ kind: 'running', rounds: rounds.slice(at, at + idsInNotice) });
    }
  }, wordEveryMs);
  words.unref();

  async function serve(round: string, parked: string, known: Running): Promise<void> {
    const { signal } = known.abort;
    const stored = await rows.take({ id: round, recipient: broker });
    if (!stored) {
      // its client has gone, as when it hangs up here
      if (signal.aborted) takeOut(parked)?.end();
      return;
    }
    const { from: to, answers } = readRound(stored.message);
    known.from = to;
    // from here on a second round with this state is refused
    const held = takeOut(parked);
    if (held?.userId !== stored.userId) {
      held?.end();
      return tell({ kind: 'refused', to, round, why: isOver(parked) ? 'over' : 'unknown' });
    }
    void tell({ kind: 'running', rounds: [round] });
    const end = await run(held, round, to, answers, signal);
    if (signal.aborted) return;
    const id = ids.uuid();
    const added = await rows.add(
      { id, recipient: to, userId: stored.userId, kind: 'answer', target: round, message: writeEnd(end) },
      writeNotice({ kind: 'answer', to, round, row: id }) ?? '',
    );
    if (!added) await tell({ kind: 'refused', to, round, why: 'too_much' });
  }

  async function run(
    held: HeldCall,
    round: string,
    to: string,
    answers: Record<string, unknown>,
    signal: AbortSignal,
  ): Promise<RoundEnd> {
    const progress = createNewest(noticeEveryMs, (value: Parameters<NonNullable<RoundSide['onProgress']>>[0]) => {
      void tell({ kind: 'progress', to, round, progress: value });
    });
    const logged = createNewest(noticeEveryMs, (value: Parameters<NonNullable<RoundSide['onLog']>>[0]) => {
      void tell({ kind: 'log', to, round, log: value });
    });
    try {
      const side = {
        signal,
        onProgress: progress.put,
        onLog: logged.put,
        listening: () => (signal.aborted ? ('gone' as const) : ('ready' as const)),
      };
      return { answer: await held.goOn(side, answers) };
    } catch (error) {
      if (error instanceof ProtocolError) return { error };
      if (!signal.aborted) log.error({ err: error }, 'a round for another replica failed');
      return { error: new ProtocolError(-32603, 'Internal error') };
    } finally {
      progress.stop();
      logged.stop();
    }
  }

  return {
    /** Runs a round whose row has come. */
    start(round: string, parked: string): void {
      if (running.has(round)) return;
      const leave = underWay.enter();
      const known: Running = { abort: new AbortController(), from: undefined, ended: Promise.resolve() };
      running.set(round, known);
      known.ended = serve(round, parked, known)
        .catch(async (error: unknown) => {
          log.warn({ err: error }, 'a round for another replica could not be answered');
          if (known.from !== undefined) await tell({ kind: 'refused', to: known.from, round, why: 'stopped' });
        })
        .finally(() => {
          running.delete(round);
          leave();
        });
    },
    /** The client of a round has gone: its call ends, as when the client hangs up here. */
    cancel(round: string, parked: string): void {
      const known = running.get(round);
      if (known) known.abort.abort();
      else takeOut(parked)?.end();
    },
    async stop(): Promise<void> {
      clearInterval(words);
      const all = [...running];
      for (const [round, { abort, from }] of all) {
        if (from !== undefined) await tell({ kind: 'refused', to: from, round, why: 'stopped' });
        abort.abort();
      }
      await Promise.all(all.map(([, { ended }]) => ended));
    },
  };
}

function readRound(message: string): { from: string; answers: Record<string, unknown> } {
  const { from, answers } = asRecord(parseExactly(message)) ?? {};
  return { from: String(from), answers: asRecord(answers) ?? {} };
}
