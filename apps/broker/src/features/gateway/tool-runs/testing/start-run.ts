import { runEventSchema, type RunEvent } from '@souk/contract/tool-runs.ts';
import { expect } from 'vitest';
import { openStream } from '#testing/people/open-stream.ts';
import { waitUntil } from '#testing/wait-until.ts';

/** Identity of a user towards a broker, and the address of the broker. */
export type Sender = { token: string; publicUrl: string; headers?: Record<string, string> };

export const asPerson = (
  { token, headers }: Omit<Sender, 'publicUrl'>,
  method: string,
  body?: object,
): RequestInit => ({
  method,
  headers: { ...headers, authorization: `Bearer ${token}`, ...(body && { 'content-type': 'application/json' }) },
  ...(body && { body: JSON.stringify(body) }),
});

/** Starts a run from the web app and reads its events as they arrive. */
export async function startRun(sender: Sender, serverId: string, tool: string, given: Record<string, unknown> = {}) {
  const body = { serverId, tool, arguments: given };
  const stream = await openStream(`${sender.publicUrl}/api/tool-runs`, asPerson(sender, 'POST', body));
  expect(stream.status).toBe(200);
  const events = () => stream.messages().map((event) => runEventSchema.parse(event));
  const find = <T extends RunEvent['type']>(type: T) =>
    events().find((event): event is Extract<RunEvent, { type: T }> => event.type === type);
  async function until<T extends RunEvent['type']>(type: T): Promise<Extract<RunEvent, { type: T }>> {
    await waitUntil(`an event ${type} in ${stream.text()}`, () => find(type) !== undefined || stream.isOver());
    const found = find(type);
    if (!found) throw new Error(`no ${type} in ${stream.text()}`);
    return found;
  }
  const { callId } = await until('started');
  const path = `${sender.publicUrl}/api/tool-runs/${callId}`;
  return {
    callId,
    events,
    until,
    headers: stream.headers,
    ended: stream.ended,
    hangUp: stream.abort,
    answer: (answer: object, by: Omit<Sender, 'publicUrl'> = sender) =>
      fetch(`${path}/answers`, asPerson(by, 'POST', answer)),
    cancel: (by: Omit<Sender, 'publicUrl'> = sender) => fetch(path, asPerson(by, 'DELETE')),
  };
}
