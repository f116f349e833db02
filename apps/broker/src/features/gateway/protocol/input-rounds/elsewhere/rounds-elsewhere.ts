import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import type { InFlight } from '../../../door/in-flight.ts';
import { createMessageRows } from '../../../replicas/message-rows.ts';
import { channel, readNotice, writeNotice, type RoundNotice } from './round-notices.ts';
import { createSentRounds } from './sent-rounds.ts';
import { createTakenRounds, type TakenRounds, type WaitingHere } from './taken-rounds.ts';

/** Limit of what waits for one user: results have at most 8 MiB, and at most 8 calls of a user wait in a process. */
const maxBytesPerUser = 64 * 1024 * 1024;

export type RoundsElsewhere = Awaited<ReturnType<typeof createRoundsElsewhere>>;

/** Passes rounds between processes: a client's next round may reach another process than the one where its call waits. */
export async function createRoundsElsewhere(options: {
  db: Database;
  underWay: Pick<InFlight, 'enter'>;
  clock: Clock;
  ids: Ids;
  log: Log;
}) {
  const { db, log } = options;
  const broker = options.ids.uuid();
  const rows = createMessageRows({
    query: db.query,
    clock: options.clock,
    table: 'mcp_round_messages',
    recipient: 'broker_id',
    channel,
    maxBytesPerUser,
  });
  const parts = { ...options, broker, rows, tell };
  const sent = createSentRounds(parts);
  let taken: TakenRounds | undefined;

  async function tell(notice: RoundNotice): Promise<void> {
    const text = writeNotice(notice);
    if (text === undefined) return;
    await db.notify(channel, text).catch((error: unknown) => {
      // the process that waits for the notice gives up after a while
      log.warn({ err: error }, 'another replica was not notified of a round');
    });
  }

  function receive(notice: RoundNotice): void {
    if (notice.kind === 'running') return sent.receive(notice);
    if (notice.to !== broker) return;
    if (notice.kind === 'round') return taken?.start(notice.round, notice.parked);
    if (notice.kind === 'cancelled') return taken?.cancel(notice.round, notice.parked);
    if (notice.kind === 'answer') return void sent.takeAnswer({ id: notice.row, target: notice.round });
    sent.receive(notice);
  }

  /** Processes the stored messages. Called when notices may have been missed. */
  async function reload(): Promise<void> {
    for (const waiting of await rows.waiting([broker])) {
      if (waiting.kind === 'answer') await sent.takeAnswer(waiting);
      else taken?.start(waiting.id, waiting.target ?? '');
    }
  }

  const missed = () => {
    reload().catch((error: unknown) => log.warn({ err: error }, 'rounds of other replicas could not be reread'));
  };
  const hear = (payload: string) => {
    if (payload === '') return missed();
    const notice = readNotice(payload);
    if (notice) receive(notice);
  };
  const stopListening = await db.listen(channel, hear, missed);

  return {
    /** The id of this process in a requestState. */
    broker,
    /**
     * Runs a round in the process where its call waits.
     * @throws ProtocolError as a round here does; LostCallError if that process stopped while it ran the round
     */
    run: sent.run,
    /** Starts to run the rounds that other processes received for calls that wait here. */
    serve(waiting: WaitingHere): void {
      taken = createTakenRounds({ ...parts, ...waiting });
    },
    removeExpired: rows.removeExpired,
    async stop(): Promise<void> {
      await taken?.stop();
      sent.stop();
      await stopListening();
    },
  };
}
