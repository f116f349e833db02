/** A benchmark. It prints a readable table, then one JSON object as its last line. */
export type Bench = {
  description: string;
  usage: string;
  /**
   * @param args command line after the name
   * @returns the exit code: 0 if every answer was correct; figures alone never fail a run
   */
  run(args: readonly string[]): Promise<number>;
};

/** Invalid command line; the message gives the reason. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

/** @throws UsageError unless the text is a whole number from 1 */
export function countOf(text: string): number {
  const count = Number(text);
  if (!Number.isInteger(count) || count < 1) throw new UsageError('counts are whole numbers from 1');
  return count;
}
