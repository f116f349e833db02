import { z } from 'zod';

const messageSchema = z.object({
  id: z.int().nullish(),
  type: z.string().optional(),
  result: z.unknown(),
  error: z.string().optional(),
  message: z.string().optional(),
});

export type Bidi = {
  /**
   * Sends a command.
   * @returns its result.
   * @throws Error with the browser's reason
   */
  send(method: string, params: object): Promise<unknown>;
  close(): void;
};

/** Opens a connection of WebDriver BiDi for commands and their responses. */
export async function openBidi(url: string): Promise<Bidi> {
  const socket = new WebSocket(url);
  const waiting = new Map<number, PromiseWithResolvers<unknown>>();
  let lastId = 0;
  socket.addEventListener('message', ({ data }) => {
    const { id, type, result, error, message } = messageSchema.parse(JSON.parse(String(data)));
    const asked = waiting.get(id ?? 0);
    waiting.delete(id ?? 0);
    if (type === 'error') asked?.reject(new Error(`${error}: ${message}`));
    else asked?.resolve(result);
  });
  socket.addEventListener('close', () => {
    for (const asked of waiting.values()) asked.reject(new Error('the browser has ended'));
  });
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener('open', () => resolve());
    socket.addEventListener('error', () => reject(new Error(`no connection to ${url}`)));
  });
  return {
    send(method, params) {
      lastId += 1;
      const asked = Promise.withResolvers<unknown>();
      waiting.set(lastId, asked);
      socket.send(JSON.stringify({ id: lastId, method, params }));
      return asked.promise;
    },
    close: () => socket.close(),
  };
}
