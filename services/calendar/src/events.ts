import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '@souk/service-kit/database.ts';
import { ToolRefusal } from '@souk/service-kit/tools.ts';
import * as z from 'zod';

/** An event of a user's calendar. Instants are epoch milliseconds; the time zone is the user's choice for the event. */
export type CalendarEvent = {
  id: string;
  /** RFC 5545, section 3.8.4.7: identifies the event across calendars. */
  uid: string;
  title: string;
  startMs: number;
  endMs: number;
  timeZone: string;
  location: string;
  notes: string;
};

export type EventDraft = Omit<CalendarEvent, 'id' | 'uid'>;

export const eventMigrations = [
  `CREATE TABLE event (
     id TEXT PRIMARY KEY,
     subject TEXT NOT NULL,
     uid TEXT NOT NULL,
     title TEXT NOT NULL,
     start_ms INTEGER NOT NULL,
     end_ms INTEGER NOT NULL CHECK (end_ms > start_ms),
     time_zone TEXT NOT NULL,
     location TEXT NOT NULL,
     notes TEXT NOT NULL,
     changed_at_ms INTEGER NOT NULL,
     UNIQUE (subject, uid)
   ) STRICT;
   CREATE INDEX event_of_subject ON event (subject, start_ms)`,
];

/** Limit per user, which protects the disk. */
const maxPerUser = 5_000;
const earliestMs = Date.UTC(1970, 0, 1);
const latestMs = Date.UTC(2100, 0, 1);
const longestMs = 366 * 86_400_000;

const columns = `id, uid, title, start_ms AS startMs, end_ms AS endMs, time_zone AS timeZone, location, notes`;
const rowSchema = z.object({
  id: z.string(),
  uid: z.string(),
  title: z.string(),
  startMs: z.number(),
  endMs: z.number(),
  timeZone: z.string(),
  location: z.string(),
  notes: z.string(),
}) satisfies z.ZodType<CalendarEvent>;

/** The events of all users; `subject` is the user in each call. */
export type Events = {
  add(subject: string, draft: EventDraft, id: string, nowMs: number): CalendarEvent;
  /** Events that overlap the time between the two instants, by start. */
  between(subject: string, fromMs: number, toMs: number): CalendarEvent[];
  /** @throws ToolRefusal if the user has no event with that id */
  find(subject: string, id: string): CalendarEvent;
  move(subject: string, id: string, startMs: number, endMs: number, nowMs: number): CalendarEvent;
  /** @returns whether the event existed */
  remove(subject: string, id: string): boolean;
  /** Adds or replaces events by UID, all or none. */
  merge(
    subject: string,
    drafts: readonly (EventDraft & { uid: string })[],
    newId: () => string,
    nowMs: number,
  ): { added: number; replaced: number };
  /** Time zone of the event that the user changed last, else UTC. */
  lastTimeZone(subject: string): string;
};

/** Returns why the times of an event are invalid; undefined if they are valid. */
export function problemOfTimes(startMs: number, endMs: number): string | undefined {
  if (endMs <= startMs) return 'The end must be after the start.';
  if (startMs < earliestMs || endMs > latestMs) return 'Events must be between 1970 and 2100.';
  return endMs - startMs > longestMs ? 'An event can last at most 366 days.' : undefined;
}

export function createEvents(database: DatabaseSync): Events {
  const insert = database.prepare('INSERT INTO event VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)');
  const between = database.prepare(
    `SELECT ${columns} FROM event WHERE subject = ? AND start_ms < ? AND end_ms > ? ORDER BY start_ms, id`,
  );
  const byId = database.prepare(`SELECT ${columns} FROM event WHERE subject = ? AND id = ?`);
  const byUid = database.prepare('SELECT id FROM event WHERE subject = ? AND uid = ?');
  const count = database.prepare('SELECT count(*) AS events FROM event WHERE subject = ?');
  const last = database.prepare(
    'SELECT time_zone FROM event WHERE subject = ? ORDER BY changed_at_ms DESC, id DESC LIMIT 1',
  );
  const move = database.prepare(
    'UPDATE event SET start_ms = ?, end_ms = ?, changed_at_ms = ? WHERE subject = ? AND id = ?',
  );
  const remove = database.prepare('DELETE FROM event WHERE subject = ? AND id = ?');

  const events: Events = {
    add: (subject, draft, id, nowMs) => put(subject, { ...draft, id, uid: `${id}@calendar.souk` }, nowMs),
    between: (subject, fromMs, toMs) => between.all(subject, toMs, fromMs).map((row) => rowSchema.parse(row)),
    find(subject, id) {
      const row = byId.get(subject, id);
      if (!row) throw new ToolRefusal(`You have no event ${id}. Try list_events.`);
      return rowSchema.parse(row);
    },
    move(subject, id, startMs, endMs, nowMs) {
      refuseTimes(startMs, endMs);
      move.run(startMs, endMs, nowMs, subject, id);
      return events.find(subject, id);
    },
    remove: (subject, id) => remove.run(subject, id).changes > 0,
    merge: (subject, drafts, newId, nowMs) =>
      inTransaction(database, () => {
        let replaced = 0;
        for (const draft of drafts) {
          const known = byUid.get(subject, draft.uid);
          const id = known ? String(known['id']) : newId();
          if (known) {
            replaced += 1;
            remove.run(subject, id);
          }
          put(subject, { ...draft, id }, nowMs);
        }
        return { added: drafts.length - replaced, replaced };
      }),
    lastTimeZone: (subject) => String(last.get(subject)?.['time_zone'] ?? 'UTC'),
  };
  return events;

  function put(subject: string, event: CalendarEvent, nowMs: number): CalendarEvent {
    const { id, uid, title, startMs, endMs, timeZone, location, notes } = event;
    refuseTimes(startMs, endMs);
    if (Number(count.get(subject)?.['events']) >= maxPerUser) {
      throw new ToolRefusal(`You have ${maxPerUser} events, the maximum of this service. Delete some first.`);
    }
    insert.run(id, subject, uid, title, startMs, endMs, timeZone, location, notes, nowMs);
    return event;
  }
}

function refuseTimes(startMs: number, endMs: number): void {
  const problem = problemOfTimes(startMs, endMs);
  if (problem !== undefined) throw new ToolRefusal(problem);
}
