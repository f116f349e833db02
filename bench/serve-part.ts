/** What a part tells whoever started it, over the process's channel. */
export type FromPart<Ready, Final> = { type: 'ready'; ready: Ready } | { type: 'stopped'; final: Final };

/** A running part: what others must know of it, and how it ends. */
export type Serving<Ready, Final> = { ready: Ready; stop(): Promise<Final> };

/**
 * The main program of a part: starts it, says what `ready` holds, stops when it is told to, or when whoever started it
 * is gone, so that no process is ever left over.
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
  // The driver decides: a Ctrl-C reaches the whole group, and the driver's end closes the channel.
  process.on('SIGINT', () => {});
  await send({ type: 'ready', ready });
}

function send(message: FromPart<unknown, unknown>): Promise<void> {
  return new Promise((resolve, reject) => {
    process.send?.(message, (error: Error | null) => (error ? reject(error) : resolve()));
  });
}
