import type { Database } from '#platform/db/database.ts';

/**
 * Reads rows now and after each notice. Reads are sequential, so that an older one cannot replace a newer one.
 * @param read receives the payload of the notice; '' to read everything
 * @param failed receives errors of reads after notices
 */
export async function followRows(
  db: Pick<Database, 'listen'>,
  channel: string,
  read: (payload: string) => Promise<void>,
  failed: (error: unknown) => void,
): Promise<{ reload(payload?: string): Promise<void>; stop(): Promise<void> }> {
  let reading: Promise<void> = Promise.resolve();

  function reload(payload = ''): Promise<void> {
    const next = reading.then(() => read(payload));
    reading = next.catch(() => {});
    return next;
  }

  const hear = (payload?: string) => void reload(payload).catch(failed);
  // before the first read, so that no change in between is missed
  const stopListening = await db.listen(channel, hear, hear);
  await reload();
  return {
    reload,
    async stop() {
      await stopListening();
      await reading;
    },
  };
}
