/** A benchmark: prints a table for people, then one JSON object as its last line. */
export type Bench = {
  description: string;
  usage: string;
  /**
   * @param args what follows the name on the command line
   * @returns the exit code: 0 when every answer was correct; figures alone never fail a run
   */
  run(args: readonly string[]): Promise<number>;
};

/** The command line is invalid; the message says why. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}
