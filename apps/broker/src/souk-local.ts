/**
 * Runs an operator's command without a running broker, on the data folder itself.
 * @returns the command's result, as the running broker would answer it
 */
export async function runLocally(command: string, _args: unknown): Promise<unknown> {
  throw new Error(
    `${command} needs the running broker for now: start Souk with \`npm start\`, then run the command again`,
  );
}
