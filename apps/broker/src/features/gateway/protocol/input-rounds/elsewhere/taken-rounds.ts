import { ProtocolError, type LoggingMessageNotification, type Progress } from '@modelcontextprotocol/server';
import { parseExactly } from '#platform/json/exact-numbers.ts';
import type { Ids } from '#platform/ids.ts';
import { asRecord } from '#platform/json.ts';
import type { Log } from '#platform/log.ts';
import type { InFlight } from '../../../door/in-flight.ts';
import type { MessageRows } from '../../../replicas/message-rows.ts';
import type { RoundSide } from '../parked-call.ts';
import { writeEnd, type RoundEnd } from './round-end.ts';
import { writeNotice, type RoundNotice } from './round-notices.ts';
import { createThrottle } from './throttle.ts';

/** Interval of the notices that tell other processes which of their rounds still run. */
const heartbeatMs = 2000;
/** Ids that fit into a notice. */
const idsInNotice = 100;
/** NOTIFY is a commit: four notices a second for a round's progress, and four for its log. */
const noticeEveryMs = 250;

/** A call that was parked in this process, taken out for one round. */
export type ResumableCall = {
  readonly userId: string;
  /** Passes the client's answers on. Resolves to the answer for the client: the call's, or its next questions. */
  goOn(side: RoundSide, answers: Record<string, unknown>): Promise<object>;
  end(): void;
};

export type WaitingHere = {
  /** Takes a parked call out; undefined if it is no longer parked here. */
  takeOut(parked: string): ResumableCall | undefined;
  isOver(parked: string): boolean;
};

type Parts = WaitingHere & {
  broker: string;
  rows: MessageRows;
  tell(notice: RoundNotice): Promise<void>;
  /** Counts the rounds among what a stop waits for. */
  underWay: Pick<InFlight, 'enter'>;
  ids: Ids;
  log: Log;
};

type Running = { abort: AbortController; from: string | undefined; ended: Promise<void> };

export type TakenRounds = ReturnType<typeof createTakenRounds>;

/** Rounds that this process runs for clients of other processes. */
export function createTakenRounds(parts: Parts) {
  const { tell, takeOut, log } = parts;
  const running = new Map<string, Running>();
  const heartbeat = setInterval(() => {
    const rounds = [...running.keys()];
    for (let at = 0; at < rounds.length; at += idsInNotice) {
      void tell({ kind: 'running', rounds: rounds.slice(at, at + idsInNotice) });
    }
  }, heartbeatMs);
  heartbeat.unref();

  return {
    /** Runs a round whose row has arrived. */
    start(round: string, parked: string): void {
      if (running.has(round)) return;
      const leave = parts.underWay.enter();
      const known: Running = { abort: new AbortController(), from: undefined, ended: Promise.resolve() };
      running.set(round, known);
      known.ended = serve(round, parked, known, parts)
        .catch(async (error: unknown) => {
          log.warn({ err: error }, 'a round for another replica could not be answered');
          if (known.from !== undefined) await tell({ kind: 'refused', to: known.from, round, why: 'stopped' });
        })
        .finally(() => {
          running.delete(round);
          leave();
        });
    },
    /** Ends the call of a round whose client has gone, as if the client had hung up here. */
    cancel(round: string, parked: string): void {
      const known = running.get(round);
      if (known) known.abort.abort();
      else takeOut(parked)?.end();
    },
    async stop(): Promise<void> {
      clearInterval(heartbeat);
      const all = [...running];
      for (const [round, { abort, from }] of all) {
        if (from !== undefined) await tell({ kind: 'refused', to: from, round, why: 'stopped' });
        abort.abort();
      }
      await Promise.all(all.map(([, { ended }]) => ended));
    },
  };
}

async function serve(round: string, parked: string, known: Running, parts: Parts): Promise<void> {
  const { broker, rows, tell, takeOut, isOver, ids } = parts;
  const { signal } = known.abort;
  const stored = await rows.take({ id: round, recipient: broker });
  if (!stored) {
    // its client has gone: the call ends, as if the client had hung up here
    if (signal.aborted) takeOut(parked)?.end();
    return;
  }
  const { from: to, answers } = readRound(stored.message);
  known.from = to;
  // from here on a second round with this state is refused
  const call = takeOut(parked);
  if (call?.userId !== stored.userId) {
    call?.end();
    return tell({ kind: 'refused', to, round, why: isOver(parked) ? 'over' : 'unknown' });
  }
  void tell({ kind: 'running', rounds: [round] });
  const end = await run(call, answers, { to, round }, signal, parts);
  if (signal.aborted) return;
  const id = ids.uuid();
  const added = await rows.add(
    { id, recipient: to, userId: stored.userId, kind: 'answer', target: round, message: writeEnd(end) },
    writeNotice({ kind: 'answer', to, round, row: id }) ?? '',
  );
  if (!added) await tell({ kind: 'refused', to, round, why: 'too_much' });
}

/** Continues a call. Its client reads the progress and the log of the round as notices. */
async function run(
  call: ResumableCall,
  answers: Record<string, unknown>,
  client: { to: string; round: string },
  signal: AbortSignal,
  { tell, log }: Parts,
): Promise<RoundEnd> {
  const progress = createThrottle(noticeEveryMs, (value: Progress) => {
    void tell({ kind: 'progress', ...client, progress: value });
  });
  const logged = createThrottle(noticeEveryMs, (value: LoggingMessageNotification['params']) => {
    void tell({ kind: 'log', ...client, log: value });
  });
  try {
    const side = {
      signal,
      onProgress: progress.put,
      onLog: logged.put,
      listening: () => (signal.aborted ? ('gone' as const) : ('ready' as const)),
    };
    return { answer: await call.goOn(side, answers) };
  } catch (error) {
    if (error instanceof ProtocolError) return { error };
    if (!signal.aborted) log.error({ err: error }, 'a round for another replica failed');
    return { error: new ProtocolError(-32603, 'Internal error') };
  } finally {
    progress.stop();
    logged.stop();
  }
}

function readRound(message: string): { from: string; answers: Record<string, unknown> } {
  const { from, answers } = asRecord(parseExactly(message)) ?? {};
  return { from: String(from), answers: asRecord(answers) ?? {} };
}
