/** A benchmark: prints a table for people, then one JSON object as its last line. */
export type Bench = {
  description: string;
  usage: string;
  /**
   * @param args what follows the name on the command line
   * @returns the exit code: 0 when everything that must be right was right; figures alone never fail it
   */
  run(args: readonly string[]): Promise<number>;
};

/** The command line is wrong; the message says how. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
