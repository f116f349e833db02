import type { ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import type { z } from 'zod';

/**
 * Waits for the next message of a program.
 * @throws Error if the program ends before
 */
export async function hear<Message>(child: ChildProcess, schema: z.ZodType<Message>): Promise<Message> {
  const heard = new AbortController();
  const { signal } = heard;
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]) => schema.parse(message)),
      once(child, 'exit', { signal }).then(([code]) => {
        throw new Error(`ended with ${code}`);
      }),
    ]);
  } finally {
    heard.abort();
  }
}
