import { z } from 'zod';
import type { LoggingMessageNotification, Progress } from '@modelcontextprotocol/server';

export const channel = 'mcp_rounds';

/** PostgreSQL refuses notices of 8000 bytes or more. */
const maxNoticeBytes = 7900;

const addressed = { to: z.string(), round: z.string() };

/** Notices between processes about a round. `to` is the process that a notice is for. */
const notice = z.discriminatedUnion('kind', [
  /** To the process where the call waits: there is a row with a round, or the client of a round has gone. */
  z.object({ kind: z.literal('round'), ...addressed, parked: z.string() }),
  z.object({ kind: z.literal('cancelled'), ...addressed, parked: z.string() }),
  /** The reply: there is a row with its answer, or there will be none. */
  z.object({ kind: z.literal('answer'), ...addressed, row: z.string() }),
  z.object({ kind: z.literal('refused'), ...addressed, why: z.enum(['unknown', 'over', 'stopped', 'too_much']) }),
  z.object({ kind: z.literal('progress'), ...addressed, progress: z.custom<Progress>() }),
  z.object({ kind: z.literal('log'), ...addressed, log: z.custom<LoggingMessageNotification['params']>() }),
  /** To all processes: these rounds are still running. */
  z.object({ kind: z.literal('running'), rounds: z.array(z.string()) }),
]);
export type RoundNotice = z.infer<typeof notice>;

/** Returns the payload of a notice; undefined if it is too long for NOTIFY. */
export function writeNotice(of: RoundNotice): string | undefined {
  const text = JSON.stringify(of);
  return Buffer.byteLength(text) <= maxNoticeBytes ? text : undefined;
}

/** Reads a notice of another process; undefined for a kind that this version does not know. */
export function readNotice(payload: string): RoundNotice | undefined {
  return notice.safeParse(JSON.parse(payload)).data;
}
