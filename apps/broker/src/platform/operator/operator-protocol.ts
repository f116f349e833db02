import { z } from 'zod';

/** One line of JSON each way, one command for each connection. */
export const requestSchema = z.object({ command: z.string(), args: z.unknown() });

export const answerSchema = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({ ok: z.literal(false), code: z.string(), message: z.string() }),
]);
export type Answer = z.infer<typeof answerSchema>;

/** The code of a command that failed because the broker's database does not answer. */
export const databaseAway = 'database_away';

/** A longer line is not read. */
export const longestLine = 1024 * 1024;
