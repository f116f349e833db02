import { answerToolRun } from '@souk/contract/tool-runs.ts';
import { z } from 'zod';
import type { Clock } from '#platform/clock.ts';
import type { Database } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Ids } from '#platform/ids.ts';
import type { Log } from '#platform/log.ts';
import { createRateLimit } from '#platform/rate-limit.ts';
import { createMessageRows } from '../replicas/message-rows.ts';

const channel = 'tool_runs';
/** How long the process that runs the call may take to confirm that it has the message. */
const confirmationMs = 3000;
/** Messages of one user that are passed on to other processes. */
const passedOnPerMinute = 600;
/** Limit of what waits for one user. A message is at most the body of a request. */
const maxBytesPerUser = 8 * 1024 * 1024;

const messageSchema = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('answer'), answer: answerToolRun.body }),
  z.object({ kind: z.literal('cancellation') }),
]);
export type RunMessage = z.infer<typeof messageSchema>;

const noticeSchema = z.discriminatedUnion('kind', [
  /** To the process that runs this call: there is a message for it. */
  z.object({ kind: z.literal('message'), call: z.string(), row: z.string() }),
  /** The reply: it has taken the message. `found`: whether it had the run and its question. */
  z.object({ kind: z.literal('taken'), row: z.string(), found: z.boolean() }),
]);
type Notice = z.infer<typeof noticeSchema>;

export type RunsHere = {
  callIds(): string[];
  /** @returns false for a run or a question that is over, or is not this user's */
  handle(userId: string, callId: string, message: RunMessage): boolean;
};

export type RunsElsewhere = Awaited<ReturnType<typeof createRunsElsewhere>>;

/** Passes on messages to runs of other processes. */
export async function createRunsElsewhere(options: { db: Database; clock: Clock; ids: Ids; log: Log }) {
  const { db, clock, ids, log } = options;
  const rows = createMessageRows({
    query: db.query,
    clock,
    table: 'tool_run_messages',
    recipient: 'call_id',
    channel,
    maxBytesPerUser,
  });
  const rate = createRateLimit(passedOnPerMinute, clock);
  /** The messages that were passed on and not confirmed yet, by their rows. */
  const sent = new Map<string, (found: boolean | undefined) => void>();
  let here: RunsHere | undefined;

  async function take(callId: string, row: string): Promise<void> {
    const taken = await rows.take({ id: row, recipient: callId });
    if (!taken) return;
    const found = here?.handle(taken.userId, callId, messageSchema.parse(JSON.parse(taken.message))) ?? false;
    await db.notify(channel, JSON.stringify({ kind: 'taken', row, found } satisfies Notice));
  }

  function receive(notice: Notice): void {
    if (notice.kind === 'taken') return sent.get(notice.row)?.(notice.found);
    if (!here?.callIds().includes(notice.call)) return;
    take(notice.call, notice.row).catch(failed);
  }

  /** Processes the stored messages. Called when notices may have been missed. */
  async function reload(): Promise<void> {
    for (const { id, recipient } of await rows.waiting(here?.callIds() ?? [])) await take(recipient, id);
  }

  function failed(error: unknown): void {
    log.warn({ err: error }, 'a message of another replica to a tool run could not be read');
  }

  const missed = () => void reload().catch(failed);
  const hear = (payload: string) => {
    if (payload === '') return missed();
    const notice = noticeSchema.safeParse(JSON.parse(payload)).data;
    if (notice) receive(notice);
  };
  const stopListening = await db.listen(channel, hear, missed);

  return {
    /**
     * Passes a message on.
     * @returns false if no process has such a run of this user; after 3 s if none has the run at all
     * @throws SoukError rate_limited
     */
    async pass(userId: string, callId: string, message: RunMessage): Promise<boolean> {
      const row = ids.uuid();
      const { promise: taken, resolve } = Promise.withResolvers<boolean | undefined>();
      sent.set(row, resolve);
      let silence: NodeJS.Timeout | undefined;
      try {
        const isStored =
          rate.take(userId) &&
          (await rows.add(
            { id: row, recipient: callId, userId, kind: message.kind, target: null, message: JSON.stringify(message) },
            JSON.stringify({ kind: 'message', call: callId, row } satisfies Notice),
          ));
        if (!isStored) throw new SoukError('rate_limited');
        silence = setTimeout(resolve, confirmationMs, undefined);
        // without its row, the message has been taken, although the confirmation did not arrive
        return (await taken) ?? (await rows.take({ id: row, recipient: callId })) === undefined;
      } finally {
        clearTimeout(silence);
        sent.delete(row);
      }
    },
    /** Takes the messages of other processes for the runs here, from now on. */
    serve(runs: RunsHere): void {
      here = runs;
    },
    removeExpired: rows.removeExpired,
    async stop(): Promise<void> {
      for (const answer of sent.values()) answer(false);
      await stopListening();
    },
  };
}
