import { adding, changing, defineTool, reading, type ServiceTool } from '@souk/service-kit/tools.ts';
import * as z from 'zod';
import type { NotesParts } from './parts.ts';
import { foundNoteSchema, noteSchema } from './notes.ts';

const titleSchema = z.string().trim().min(1).max(200);
const bodySchema = z.string().max(100_000).describe('Plain text or Markdown');
const tagSchema = z
  .string()
  .trim()
  .toLowerCase()
  .regex(/^[\p{L}\p{N}][\p{L}\p{N}_-]{0,39}$/u, 'must be one word of letters, digits, - and _');
const tagsSchema = z.array(tagSchema).max(20);
const idSchema = z.string().max(64).describe('Id of one of your notes');

export function noteTools(parts: NotesParts): ServiceTool[] {
  return [
    createNoteTool(parts),
    searchNotesTool(parts),
    getNoteTool(parts),
    updateNoteTool(parts),
    deleteNoteTool(parts),
    listTagsTool(parts),
  ];
}

const createNoteTool = ({ notes, clock, newId }: NotesParts) =>
  defineTool({
    name: 'create_note',
    title: 'Create a note',
    description: 'Creates a note with a title, a body and tags.',
    annotations: adding,
    input: z.strictObject({ title: titleSchema, body: bodySchema.default(''), tags: tagsSchema.default([]) }),
    output: z.object({ note: noteSchema }),
    run(draft, call) {
      const note = notes.add(call.requireUser(), draft, newId(), clock.now());
      return { structured: { note }, text: `Created "${note.title}" as ${note.id}.` };
    },
  });

const searchNotesTool = ({ notes }: NotesParts) =>
  defineTool({
    name: 'search_notes',
    title: 'Search notes',
    description: 'Finds your notes by the words in them, best first, with the passage that matched.',
    annotations: reading,
    input: z.object({
      query: z
        .string()
        .trim()
        .min(1)
        .max(200)
        .describe('All of these words must occur; the last one may be the beginning of a word'),
      tag: tagSchema.optional().describe('Only notes with this tag'),
      limit: z.int().min(1).max(100).default(20),
    }),
    output: z.object({ notes: z.array(foundNoteSchema) }),
    run({ query, tag, limit }, call) {
      const found = notes.search(call.requireUser(), query, tag, limit);
      const text = found.map((note) => `${note.title}: ${note.snippet}  (${note.id})`).join('\n');
      return { structured: { notes: found }, text: text || 'No note matches.' };
    },
  });

const getNoteTool = ({ notes }: NotesParts) =>
  defineTool({
    name: 'get_note',
    title: 'Read a note',
    description: 'Reads the whole text of one of your notes.',
    annotations: reading,
    input: z.object({ id: idSchema }),
    output: z.object({ note: noteSchema }),
    run({ id }, call) {
      const note = notes.find(call.requireUser(), id);
      return { structured: { note }, text: `# ${note.title}\n\n${note.body}` };
    },
  });

const updateNoteTool = ({ notes, clock }: NotesParts) =>
  defineTool({
    name: 'update_note',
    title: 'Change a note',
    description: 'Replaces the title, body or tags of one of your notes. Fields that you leave out stay as they are.',
    annotations: changing,
    input: z.strictObject({
      id: idSchema,
      title: titleSchema.optional(),
      body: bodySchema.optional(),
      tags: tagsSchema.optional(),
    }),
    output: z.object({ note: noteSchema }),
    run({ id, title, body, tags }, call) {
      const change = {
        ...(title === undefined ? {} : { title }),
        ...(body === undefined ? {} : { body }),
        ...(tags === undefined ? {} : { tags }),
      };
      const note = notes.update(call.requireUser(), id, change, clock.now());
      return { structured: { note }, text: `Changed "${note.title}".` };
    },
  });

const deleteNoteTool = ({ notes }: NotesParts) =>
  defineTool({
    name: 'delete_note',
    title: 'Delete a note',
    description: 'Permanently deletes one of your notes.',
    annotations: changing,
    input: z.object({ id: idSchema }),
    output: z.object({ deleted: z.boolean().describe('False if there is no such note') }),
    run({ id }, call) {
      const deleted = notes.remove(call.requireUser(), id);
      return { structured: { deleted }, text: deleted ? 'Deleted.' : `You have no note ${id}.` };
    },
  });

const listTagsTool = ({ notes }: NotesParts) =>
  defineTool({
    name: 'list_tags',
    title: 'List tags',
    description: 'Lists the tags of your notes, most used first.',
    annotations: reading,
    input: z.object({}),
    output: z.object({ tags: z.array(z.object({ tag: z.string(), notes: z.int() })) }),
    run(_, call) {
      const tags = notes.tags(call.requireUser());
      const text = tags.map(({ tag, notes: used }) => `${tag} (${used})`).join(', ');
      return { structured: { tags }, text: text || 'Your notes have no tags.' };
    },
  });
