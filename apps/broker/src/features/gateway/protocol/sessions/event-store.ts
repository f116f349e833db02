import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';
import type { Clock } from '#platform/clock.ts';

/** Long enough for a client that lost its network briefly. An idle session stores nothing. */
const keepMs = 5 * 60_000;
const maxEvents = 200;
const maxBytes = 1024 * 1024;

type StoredEvent = { number: number; streamId: string; message: JSONRPCMessage; bytes: number; atMs: number };

export type SessionEvents = EventStore & {
  /** Removes expired events. */
  sweep(): void;
};

/**
 * The latest events of a session up to 2025-11-25, so that a client can resume a broken stream with Last-Event-ID.
 * Limited in number and bytes: the oldest events are dropped first, and a client that asks for them gets the rest.
 * @param onStored is told of each event's stream, and whether the event only marks the start of that
 */
export function createSessionEvents(
  clock: Clock,
  onStored: (streamId: string, isFirst: boolean) => void,
): SessionEvents {
  let events: StoredEvent[] = [];
  let bytes = 0;
  let last = 0;

  function dropFirst(): void {
    bytes -= events.shift()?.bytes ?? 0;
  }

  return {
    async storeEvent(streamId, message) {
      onStored(streamId, isStart(message));
      const size = JSON.stringify(message).length;
      last++;
      // storing an event above the limit would evict all others
      if (size <= maxBytes) {
        events.push({ number: last, streamId, message, bytes: size, atMs: clock.now() });
        bytes += size;
      }
      while (events.length > maxEvents || bytes > maxBytes) dropFirst();
      return `${streamId}.${last}`;
    },
    // We omit getStreamIdForEventId: with it the SDK refuses a client until its dead stream is detected.
    async replayEventsAfter(lastEventId, { send }) {
      const asked = parse(lastEventId);
      if (!asked) throw new Error('no event of this session');
      for (const event of events.filter(
        ({ streamId, number }) => streamId === asked.streamId && number > asked.number,
      )) {
        if (!isStart(event.message)) await send(`${event.streamId}.${event.number}`, event.message);
      }
      return asked.streamId;
    },
    sweep() {
      const oldest = clock.now() - keepMs;
      while ((events[0]?.atMs ?? Infinity) < oldest) dropFirst();
      // a truncated array keeps the memory of its largest size
      if (events.length === 0) events = [];
    },
  };
}

/** The stream that an event id names; undefined for text that is no event id. */
export function streamOf(eventId: string): string | undefined {
  return parse(eventId)?.streamId;
}

/** The first event of a stream is empty. */
function isStart(message: JSONRPCMessage): boolean {
  return Object.keys(message).length === 0;
}

function parse(eventId: string): { streamId: string; number: number } | undefined {
  const dot = eventId.lastIndexOf('.');
  const number = eventId.slice(dot + 1);
  return dot > 0 && /^\d+$/.test(number) ? { streamId: eventId.slice(0, dot), number: Number(number) } : undefined;
}
