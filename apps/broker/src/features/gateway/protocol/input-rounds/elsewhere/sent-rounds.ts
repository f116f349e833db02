import { ProtocolError } from '@modelcontextprotocol/server';
import type { Clock } from '#platform/clock.ts';
import type { Ids } from '#platform/ids.ts';
import { createRateLimit } from '#platform/rate-limit.ts';
import type { CallRequest } from '../../../call/call-request.ts';
import type { MessageRows, WaitingMessage } from '../../../replicas/message-rows.ts';
import { unusableState } from '../request-state.ts';
import { LostCallError } from './lost-call.ts';
import { writeNotice, type RoundNotice } from './round-notices.ts';
import { readEnd } from './round-end.ts';

/** How long the other process may take to say that it runs a round, and how long it may be silent from then on. */
const firstWordMs = 3000;
const silenceMs = 6000;
/** Rounds of a token that are passed on to other processes. */
const passedOnPerMinute = 600;

/** A call that waits in another process. */
export type ElsewhereCall = { broker: string; parked: string };
export type RoundRequest = CallRequest<{ inputResponses?: Record<string, unknown> }>;

type Sent = { heed(notice: RoundNotice): void; end(message: string): void; fail(error: unknown): void };

/** Rounds of clients of this process that run in another one. */
export function createSentRounds({
  broker,
  rows,
  tell,
  clock,
  ids,
}: {
  broker: string;
  rows: MessageRows;
  tell(notice: RoundNotice): Promise<void>;
  clock: Clock;
  ids: Ids;
}) {
  const sent = new Map<string, Sent>();
  const rate = createRateLimit(passedOnPerMinute, clock);

  async function run(
    { broker: to, parked }: ElsewhereCall,
    { context: { caller }, signal, params, ...client }: RoundRequest,
  ): Promise<object> {
    if (!rate.take(caller.tokenId)) throw tooMany();
    const round = ids.uuid();
    const ended = Promise.withResolvers<object>();
    // it may fail before anyone waits for it
    ended.promise.catch(() => {});
    let isRunning = false;
    let silence: NodeJS.Timeout | undefined;
    let hasEnded = false;

    const wait = () => {
      clearTimeout(silence);
      if (sent.has(round))
        silence = setTimeout(() => void giveUp().catch(ended.reject), isRunning ? silenceMs : firstWordMs);
    };
    const heard = () => {
      isRunning = true;
      wait();
    };
    /** A round that is still in its row has not run: its state stays good, should the other process only be slow. */
    async function giveUp(): Promise<void> {
      if (isRunning) return ended.reject(new LostCallError('stopped'));
      if (await rows.take({ id: round, recipient: to })) {
        hasEnded = true;
        return ended.reject(new LostCallError('over'));
      }
      heard();
    }
    const hangUp = () => ended.reject(new Error('the client has gone'));
    sent.set(round, {
      heed(notice) {
        heard();
        if (notice.kind === 'progress') client.onProgress?.(notice.progress);
        if (notice.kind === 'log') client.onLog?.(notice.log);
        if (notice.kind !== 'refused') return;
        hasEnded = true;
        ended.reject(refusals[notice.why]());
      },
      end(message) {
        hasEnded = true;
        const end = readEnd(message);
        if ('answer' in end) ended.resolve(end.answer);
        else ended.reject(end.error);
      },
      fail: ended.reject,
    });
    try {
      const message = JSON.stringify({ from: broker, answers: params.inputResponses ?? {} });
      const added = await rows.add(
        { id: round, recipient: to, userId: caller.userId, kind: 'round', target: parked, message },
        writeNotice({ kind: 'round', to, round, parked }) ?? '',
      );
      if (!added) {
        hasEnded = true;
        throw tooMany();
      }
      if (!isRunning) wait();
      if (signal.aborted) hangUp();
      signal.addEventListener('abort', hangUp, { once: true });
      return await ended.promise;
    } finally {
      signal.removeEventListener('abort', hangUp);
      clearTimeout(silence);
      sent.delete(round);
      if (!hasEnded) await withdraw(round, { broker: to, parked });
    }
  }

  /** The client has gone, or the other process is silent: it need not run the round any more. */
  async function withdraw(round: string, { broker: to, parked }: ElsewhereCall): Promise<void> {
    await tell({ kind: 'cancelled', to, round, parked });
    await rows.take({ id: round, recipient: to }).catch(() => undefined);
  }

  return {
    run,
    /** Of what another process tells of a round. */
    heed(notice: RoundNotice): void {
      const rounds = notice.kind === 'running' ? notice.rounds : [notice.round];
      for (const round of rounds) sent.get(round)?.heed(notice);
    },
    /** Takes the answer to a round out, also if its client has gone. */
    async takeAnswer({ id, target }: Pick<WaitingMessage, 'id' | 'target'>): Promise<void> {
      const waiting = target === null ? undefined : sent.get(target);
      try {
        const taken = await rows.take({ id, recipient: broker });
        if (taken) waiting?.end(taken.message);
      } catch (error) {
        waiting?.fail(error);
      }
    },
    stop(): void {
      for (const { fail } of sent.values()) fail(new LostCallError('stopped'));
    },
  };
}

const refusals = {
  unknown: unusableState,
  over: () => new LostCallError('over'),
  stopped: () => new LostCallError('stopped'),
  too_much: () => new LostCallError('too_much'),
};

function tooMany(): ProtocolError {
  return new ProtocolError(-32603, 'Too many answers were sent in the last minute. Try again in a moment.');
}
