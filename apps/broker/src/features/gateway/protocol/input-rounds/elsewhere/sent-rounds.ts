import { ProtocolError } from '@modelcontextprotocol/server';
import type { Clock } from '#platform/clock.ts';
import type { Ids } from '#platform/ids.ts';
import { createRateLimit } from '#platform/rate-limit.ts';
import type { CallRequest } from '../../../call/call-request.ts';
import type { MessageRows, WaitingMessage } from '../../../replicas/message-rows.ts';
import { LostCallError } from './lost-call.ts';
import { writeNotice, type RoundNotice } from './round-notices.ts';
import { SentRound } from './sent-round.ts';

/** Rounds of a token that are passed on to other processes. */
const passedOnPerMinute = 600;

type ElsewhereCall = { broker: string; parked: string };
type RoundRequest = CallRequest<{ inputResponses?: Record<string, unknown> }>;

/** Rounds of clients of this process that run in other processes. */
export function createSentRounds(parts: {
  broker: string;
  rows: MessageRows;
  tell(notice: RoundNotice): Promise<void>;
  clock: Clock;
  ids: Ids;
}) {
  const { broker, rows, tell, ids } = parts;
  const sent = new Map<string, SentRound>();
  const rate = createRateLimit(passedOnPerMinute, parts.clock);

  async function run({ broker: to, parked }: ElsewhereCall, request: RoundRequest): Promise<object> {
    const { userId, tokenId } = request.context.caller;
    if (!rate.take(tokenId)) throw tooMany();
    const id = ids.uuid();
    const round = new SentRound(request, () => rows.take({ id, recipient: to }));
    sent.set(id, round);
    try {
      const message = JSON.stringify({ from: broker, answers: request.params.inputResponses ?? {} });
      const added = await rows.add(
        { id, recipient: to, userId, kind: 'round', target: parked, message },
        writeNotice({ kind: 'round', to, round: id, parked }) ?? '',
      );
      if (!added) {
        round.end();
        throw tooMany();
      }
      return await round.answered(request.signal);
    } finally {
      sent.delete(id);
      if (!round.close()) await withdraw(id, { broker: to, parked });
    }
  }

  /** Tells the other process not to run the round: the client has hung up, or the process is silent. */
  async function withdraw(round: string, { broker: to, parked }: ElsewhereCall): Promise<void> {
    await tell({ kind: 'cancelled', to, round, parked });
    await rows.take({ id: round, recipient: to }).catch(() => undefined);
  }

  return {
    run,
    receive(notice: RoundNotice): void {
      const rounds = notice.kind === 'running' ? notice.rounds : [notice.round];
      for (const round of rounds) sent.get(round)?.receive(notice);
    },
    /** Takes the answer to a round out of its row, even if the client has hung up. */
    async takeAnswer({ id, target }: Pick<WaitingMessage, 'id' | 'target'>): Promise<void> {
      const waiting = target === null ? undefined : sent.get(target);
      try {
        const taken = await rows.take({ id, recipient: broker });
        if (taken) waiting?.take(taken.message);
      } catch (error) {
        waiting?.fail(error);
      }
    },
    stop(): void {
      for (const round of sent.values()) round.fail(new LostCallError('stopped'));
    },
  };
}

function tooMany(): ProtocolError {
  return new ProtocolError(-32603, 'Too many answers were sent in the last minute. Try again in a moment.');
}
