import type { DatabaseSync } from 'node:sqlite';
import { inTransaction } from '@souk/service-kit/database.ts';
import { ToolRefusal } from '@souk/service-kit/tools.ts';
import * as z from 'zod';

export const noteSchema = z.object({
  id: z.string(),
  title: z.string(),
  body: z.string(),
  tags: z.array(z.string()),
  createdAt: z.string().describe('ISO 8601, UTC'),
  updatedAt: z.string(),
});
export type Note = z.infer<typeof noteSchema>;
type NoteDraft = Pick<Note, 'title' | 'body' | 'tags'>;

export const foundNoteSchema = z.object({
  id: z.string(),
  title: z.string(),
  snippet: z.string().describe('The passage that matched, the words between » and «'),
  tags: z.array(z.string()),
  updatedAt: z.string(),
});
type FoundNote = z.infer<typeof foundNoteSchema>;

export const noteMigrations = [
  `CREATE TABLE note (
     number INTEGER PRIMARY KEY,
     id TEXT NOT NULL UNIQUE,
     subject TEXT NOT NULL,
     title TEXT NOT NULL,
     body TEXT NOT NULL,
     tags TEXT NOT NULL,
     created_at_ms INTEGER NOT NULL,
     updated_at_ms INTEGER NOT NULL
   ) STRICT;
   CREATE INDEX note_of_subject ON note (subject, updated_at_ms);
   CREATE VIRTUAL TABLE note_text USING fts5 (
     title, body, tags, content = 'note', content_rowid = 'number', tokenize = 'unicode61 remove_diacritics 2'
   );
   CREATE TRIGGER note_added AFTER INSERT ON note BEGIN
     INSERT INTO note_text (rowid, title, body, tags) VALUES (new.number, new.title, new.body, new.tags);
   END;
   CREATE TRIGGER note_removed AFTER DELETE ON note BEGIN
     INSERT INTO note_text (note_text, rowid, title, body, tags)
       VALUES ('delete', old.number, old.title, old.body, old.tags);
   END;
   CREATE TRIGGER note_changed AFTER UPDATE ON note BEGIN
     INSERT INTO note_text (note_text, rowid, title, body, tags)
       VALUES ('delete', old.number, old.title, old.body, old.tags);
     INSERT INTO note_text (rowid, title, body, tags) VALUES (new.number, new.title, new.body, new.tags);
   END`,
];

/** Limit per user, which protects the disk. */
const maxPerUser = 2_000;

const tagsSchema = z.string().transform((tags) => tags.split(' ').filter(Boolean));
const timeSchema = z.number().transform((ms) => new Date(ms).toISOString());
const columns = 'id, title, body, tags, created_at_ms AS createdAt, updated_at_ms AS updatedAt';
const rowSchema = noteSchema.extend({ tags: tagsSchema, createdAt: timeSchema, updatedAt: timeSchema });
const foundSchema = foundNoteSchema.extend({ tags: tagsSchema, updatedAt: timeSchema });

/** The notes of all users; `subject` is the user in each call. */
export type Notes = {
  add(subject: string, draft: NoteDraft, id: string, nowMs: number): Note;
  /** @throws ToolRefusal if the user has no note with that id */
  find(subject: string, id: string): Note;
  update(subject: string, id: string, change: Partial<NoteDraft>, nowMs: number): Note;
  /** @returns whether the note existed */
  remove(subject: string, id: string): boolean;
  /** Finds notes with every word of `query` (the last one may be a prefix), best first; title matches rank highest. */
  search(subject: string, query: string, tag: string | undefined, limit: number): FoundNote[];
  /** Lists notes, last changed first. */
  recent(subject: string, limit: number): Note[];
  /** Lists tags, most used first. */
  tags(subject: string): { tag: string; notes: number }[];
};

export function createNotes(database: DatabaseSync): Notes {
  const insert = database.prepare(
    `INSERT INTO note (id, subject, title, body, tags, created_at_ms, updated_at_ms) VALUES (?, ?, ?, ?, ?, ?, ?)`,
  );
  const update = database.prepare(
    'UPDATE note SET title = ?, body = ?, tags = ?, updated_at_ms = ? WHERE subject = ? AND id = ?',
  );
  const byId = database.prepare(`SELECT ${columns} FROM note WHERE subject = ? AND id = ?`);
  const remove = database.prepare('DELETE FROM note WHERE subject = ? AND id = ?');
  const recent = database.prepare(
    `SELECT ${columns} FROM note WHERE subject = ? ORDER BY updated_at_ms DESC, number DESC LIMIT ?`,
  );
  const count = database.prepare('SELECT count(*) AS notes FROM note WHERE subject = ?');
  const allTags = database.prepare("SELECT tags FROM note WHERE subject = ? AND tags <> ''");
  const search = database.prepare(
    `SELECT note.id, note.title, snippet(note_text, 1, '»', '«', '…', 24) AS snippet, note.tags,
            note.updated_at_ms AS updatedAt
       FROM note_text JOIN note ON note.number = note_text.rowid
      WHERE note_text MATCH ? AND note.subject = ? AND (? = '' OR instr(' ' || note.tags || ' ', ' ' || ? || ' ') > 0)
      ORDER BY bm25(note_text, 8.0, 1.0, 4.0), note.updated_at_ms DESC
      LIMIT ?`,
  );

  const notes: Notes = {
    add: (subject, { title, body, tags }, id, nowMs) => {
      if (Number(count.get(subject)?.['notes']) >= maxPerUser) {
        throw new ToolRefusal(`You have ${maxPerUser} notes, the maximum of this service. Delete some first.`);
      }
      insert.run(id, subject, title, body, joinTags(tags), nowMs, nowMs);
      return notes.find(subject, id);
    },
    find(subject, id) {
      const row = byId.get(subject, id);
      if (!row) throw new ToolRefusal(`You have no note ${id}. Try search_notes.`);
      return rowSchema.parse(row);
    },
    update: (subject, id, change, nowMs) =>
      inTransaction(database, () => {
        const { title, body, tags } = { ...notes.find(subject, id), ...change };
        update.run(title, body, joinTags(tags), nowMs, subject, id);
        return notes.find(subject, id);
      }),
    remove: (subject, id) => remove.run(subject, id).changes > 0,
    search(subject, query, tag = '', limit) {
      const words = matchExpression(query);
      if (words === '') throw new ToolRefusal('Give at least one word to look for.');
      return search.all(words, subject, tag, tag, limit).map((row) => foundSchema.parse(row));
    },
    recent: (subject, limit) => recent.all(subject, limit).map((row) => rowSchema.parse(row)),
    tags(subject) {
      const counts = new Map<string, number>();
      for (const tag of allTags.all(subject).flatMap((row) => tagsSchema.parse(row['tags']))) {
        counts.set(tag, (counts.get(tag) ?? 0) + 1);
      }
      return [...counts]
        .map(([tag, used]) => ({ tag, notes: used }))
        .sort((a, b) => b.notes - a.notes || a.tag.localeCompare(b.tag));
    },
  };
  return notes;
}

function joinTags(tags: readonly string[]): string {
  return [...new Set(tags)].join(' ');
}

/** Converts entered words to FTS5's query language: each word is quoted, the last one is a prefix. */
function matchExpression(query: string): string {
  const words = query.match(/[\p{L}\p{N}]+/gu) ?? [];
  return words.map((word, index) => `"${word}"${index === words.length - 1 ? '*' : ''}`).join(' ');
}
