import { z } from 'zod';

/** The protocol is one line of JSON each way, with one command per connection. */
export const requestSchema = z.object({ command: z.string(), args: z.unknown() });

export const answerSchema = z.discriminatedUnion('ok', [
  z.object({ ok: z.literal(true), result: z.unknown() }),
  z.object({ ok: z.literal(false), code: z.string(), message: z.string() }),
]);
export type Answer = z.infer<typeof answerSchema>;

/** Error code if the broker's database does not answer. */
export const databaseAway = 'database_away';

/** Longer lines are not read. */
export const longestLine = 1024 * 1024;
