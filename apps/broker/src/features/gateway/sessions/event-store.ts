import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Clock } from '#platform/clock.ts';

/** Long enough for a client that lost its network for a moment; an idle session holds nothing. */
const keepMs = 5 * 60_000;
const maxEvents = 200;
const maxBytes = 1024 * 1024;

type StoredEvent = { number: number; streamId: string; message: JSONRPCMessage; bytes: number; atMs: number };

export type SessionEvents = EventStore & {
  /** Forgets what nobody will come back for. */
  sweep(): void;
};

/**
 * What a session up to 2025-11-25 sent lately, so that a client can take up a broken stream with Last-Event-ID. Bounded
 * in number and bytes: the oldest goes first, and who asks for it gets what is left after it.
 */
export function createSessionEvents(clock: Clock): SessionEvents {
  let events: StoredEvent[] = [];
  let bytes = 0;
  let last = 0;

  function dropFirst(): void {
    bytes -= events.shift()?.bytes ?? 0;
  }

  return {
    async storeEvent(streamId, message) {
      const size = JSON.stringify(message).length;
      last++;
      // an event too large to keep would push all others out
      if (size <= maxBytes) {
        events.push({ number: last, streamId, message, bytes: size, atMs: clock.now() });
        bytes += size;
      }
      while (events.length > maxEvents || bytes > maxBytes) dropFirst();
      return `${streamId}.${last}`;
    },
    // without getStreamIdForEventId, whose presence would keep a client out until its dead stream is noticed
    async replayEventsAfter(lastEventId, { send }) {
      const asked = parse(lastEventId);
      if (!asked) throw new Error('no event of this session');
      for (const event of events.filter(
        ({ streamId, number }) => streamId === asked.streamId && number > asked.number,
      )) {
        // the first event of a stream only says where it begins
        if (Object.keys(event.message).length > 0) await send(`${event.streamId}.${event.number}`, event.message);
      }
      return asked.streamId;
    },
    sweep() {
      const oldest = clock.now() - keepMs;
      while ((events[0]?.atMs ?? Infinity) < oldest) dropFirst();
      // a shrunken list keeps the memory of its longest time
      if (events.length === 0) events = [];
    },
  };
}

/** Whether something can be the id of an event of any session. */
export function isEventId(text: string): boolean {
  return parse(text) !== undefined;
}

function parse(eventId: string): { streamId: string; number: number } | undefined {
  const [, streamId, number] = /^(.+)\.(\d+)$/.exec(eventId) ?? [];
  return streamId === undefined ? undefined : { streamId, number: Number(number) };
}
