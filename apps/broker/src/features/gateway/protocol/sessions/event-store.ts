import type { EventStore, JSONRPCMessage } from '@modelcontextprotocol/server';
import { randomInt } from 'node:crypto';
import type { Clock } from '#platform/clock.ts';

/** How long events are kept: enough for a client that lost its network briefly. An idle session stores nothing. */
const keepMs = 5 * 60_000;
const maxEvents = 200;
const maxBytes = 1024 * 1024;
/** Event numbers start at random, so that events of another process are recognized. */
const firstNumberBelow = 2 ** 47;
/** The SDK's name for the stream that belongs to no request. */
export const ownStream = '_GET_stream';

type StoredEvent = { number: number; streamId: string; message: JSONRPCMessage; bytes: number; atMs: number };

/**
 * The stream of a Last-Event-ID: more events are stored or may follow, it has ended and the client has all of it, or it is
 * unknown.
 */
type Resumption = { kind: 'resumable'; stream: string } | { kind: 'finished' } | { kind: 'unknown' };

export type SessionEvents = EventStore & {
  /** @param isOpen whether more events of a stream may follow */
  resumption(eventId: string, isOpen: (stream: string) => boolean): Resumption;
  sweep(): void;
};

/**
 * The latest events of a session up to 2025-11-25, so that a client can resume a broken stream with Last-Event-ID.
 * Limited in number and bytes: the oldest events are dropped first, and a client that asks for them gets the rest.
 * @param onStored called with each event's stream, and whether the event only marks the start of the stream
 * @param noticesOfChange notices for a client that resumes the session's own stream after an event of another process, since
 *   it may have missed any change
 */
export function createSessionEvents(
  clock: Clock,
  onStored: (streamId: string, isFirst: boolean) => void,
  noticesOfChange: () => readonly JSONRPCMessage[] = () => [],
): SessionEvents {
  let events: StoredEvent[] = [];
  let bytes = 0;
  const first = randomInt(firstNumberBelow);
  let last = first;

  function dropFirst(): void {
    bytes -= events.shift()?.bytes ?? 0;
  }

  const isOurs = (number: number) => number > first && number <= last;

  const after = (asked: { streamId: string; number: number }) =>
    events.filter(
      ({ streamId, number, message }) => streamId === asked.streamId && number > asked.number && !isStart(message),
    );

  return {
    async storeEvent(streamId, message) {
      onStored(streamId, isStart(message));
      const size = JSON.stringify(message).length;
      last++;
      // an event above the limit would evict all others
      if (size <= maxBytes) {
        events.push({ number: last, streamId, message, bytes: size, atMs: clock.now() });
        bytes += size;
      }
      while (events.length > maxEvents || bytes > maxBytes) dropFirst();
      return `${streamId}.${last}`;
    },
    // We omit getStreamIdForEventId: with it the SDK refuses a client until its dead stream is detected.
    async replayEventsAfter(lastEventId, { send }) {
      const asked = readEventId(lastEventId);
      if (!asked) throw new Error('no event of this session');
      if (asked.streamId === ownStream && !isOurs(asked.number)) {
        for (const message of noticesOfChange()) await send(`${ownStream}.${last}`, message);
        return ownStream;
      }
      for (const { streamId, number, message } of after(asked)) await send(`${streamId}.${number}`, message);
      return asked.streamId;
    },
    resumption(eventId, isOpen) {
      const asked = readEventId(eventId);
      if (!asked) return { kind: 'unknown' };
      const { streamId } = asked;
      // the session has only one own stream, whichever process it was open at before
      if (streamId === ownStream) return { kind: 'resumable', stream: streamId };
      if (!isOurs(asked.number)) return { kind: 'unknown' };
      if (isOpen(streamId) || after(asked).length > 0) return { kind: 'resumable', stream: streamId };
      return events.some((event) => event.streamId === streamId) ? { kind: 'finished' } : { kind: 'unknown' };
    },
    sweep() {
      const oldest = clock.now() - keepMs;
      while ((events[0]?.atMs ?? Infinity) < oldest) dropFirst();
      // a truncated array keeps the memory of its largest size
      if (events.length === 0) events = [];
    },
  };
}

/** The first event of a stream is empty. */
function isStart(message: JSONRPCMessage): boolean {
  return Object.keys(message).length === 0;
}

export function readEventId(eventId: string): { streamId: string; number: number } | undefined {
  const dot = eventId.lastIndexOf('.');
  const number = eventId.slice(dot + 1);
  return dot > 0 && /^\d+$/.test(number) ? { streamId: eventId.slice(0, dot), number: Number(number) } : undefined;
}
