/** Messages from a part to its parent, over the process's channel. */
export type FromPart<Ready, Final> = { type: 'ready'; ready: Ready } | { type: 'stopped'; final: Final };

/** A running part: values for other parts, and a function that stops it. */
export type Serving<Ready, Final> = { ready: Ready; stop(): Promise<Final> };

/**
 * Runs a part: starts it, sends `ready` to the parent, and stops on request or when the parent ends, so
 * that no process is left behind.
 * @param start gets the input that was given to startPart
 */
export async function servePart<Input, Ready, Final>(
  start: (input: Input) => Promise<Serving<Ready, Final>>,
): Promise<void> {
  const input: Input = JSON.parse(process.argv[2] ?? 'null');
  const { ready, stop } = await start(input);
  let stopping = false;
  const end = async () => {
    if (stopping) return;
    stopping = true;
    const final = await stop();
    if (process.connected) await send({ type: 'stopped', final });
    process.exit(0);
  };
  process.on('message', () => void end());
  process.on('disconnect', () => void end());
  // Ctrl-C reaches the whole group, but the driver decides: when it ends, the channel closes.
  process.on('SIGINT', () => {});
  await send({ type: 'ready', ready });
}

function send(message: FromPart<unknown, unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, (error: Error | null) => (error ? reject(error) : resolve()));
  });
}
