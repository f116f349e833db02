import { ProtocolError } from '@modelcontextprotocol/server';

/** How long a question waits for a client whose stream is gone. A client that resumes its stream does so within seconds. */
export const questionPatienceMs = 15_000;

/**
 * Asks a client of a session, and withdraws the question once its stream has been gone for a while. Otherwise its call would
 * occupy one of the user's places for ten minutes: an open question pauses the call's deadline.
 * @param ask takes the signal that withdraws the question
 * @throws ProtocolError when the client has gone
 */
export async function whileHeard<Answer>(
  ask: (withdrawn: AbortSignal) => Promise<Answer>,
  signal: AbortSignal,
  isHeard: () => boolean,
  patienceMs: number,
): Promise<Answer> {
  const gone = new AbortController();
  let heardAtMs = performance.now();
  const look = setInterval(() => {
    const nowMs = performance.now();
    if (isHeard()) heardAtMs = nowMs;
    else if (nowMs - heardAtMs >= patienceMs) gone.abort();
  }, patienceMs / 5);
  try {
    return await ask(AbortSignal.any([signal, gone.signal]));
  } catch (error) {
    if (gone.signal.aborted) throw new ProtocolError(-32_600, 'The client has gone, and cannot be asked');
    throw error;
  } finally {
    clearInterval(look);
  }
}
