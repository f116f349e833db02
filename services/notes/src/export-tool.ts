import { defineTool, reading, type ServiceTool } from '@souk/service-kit/tools.ts';
import * as z from 'zod';
import type { NotesParts } from './parts.ts';
import type { Note } from './notes.ts';

/** Pieces of an export, half a second apart, so that a large one does not delay other users' calls. */
const pieces = 12;
const pieceMs = 500;
/** Keeps the result well below the size that a gateway accepts. */
const maxCharacters = 2_000_000;
const maxNotes = 2_000;

export function exportTools({ notes, slowCalls }: NotesParts): ServiceTool[] {
  return [
    defineTool({
      name: 'export_notes',
      title: 'Export all notes',
      description: 'Exports all your notes as one Markdown document and reports progress; takes about six seconds.',
      annotations: reading,
      input: z.object({}),
      output: z.object({
        notes: z.int(),
        words: z.int(),
        markdown: z.string(),
        truncated: z.boolean().describe('True if notes were left out because the document became too long'),
      }),
      run(_, call) {
        const subject = call.requireUser();
        return slowCalls.run(subject, async () => {
          const all = notes.recent(subject, maxNotes);
          let markdown = `# Notes\n\n${all.map((note) => `- ${note.title}`).join('\n')}\n`;
          let words = 0;
          let written = 0;
          for (let piece = 1; piece <= pieces; piece += 1) {
            for (const note of all.slice(written, Math.ceil((all.length * piece) / pieces))) {
              const section = sectionOf(note);
              if (markdown.length + section.length > maxCharacters) break;
              markdown += section;
              words += countWords(note.body);
              written += 1;
            }
            await call.pause(pieceMs);
            await call.report(piece, pieces, `${written} of ${count(all.length, 'note')} written`);
          }
          const structured = { notes: written, words, markdown, truncated: written < all.length };
          const resource = { uri: 'notes://export.md', mimeType: 'text/markdown', text: markdown };
          return {
            structured,
            text: `${count(written, 'note')}, ${count(words, 'word')}.`,
            extra: [{ type: 'resource', resource }],
          };
        });
      },
    }),
  ];
}

function sectionOf({ title, body, tags, updatedAt }: Note): string {
  const tagLine = tags.length === 0 ? '' : ` · ${tags.map((tag) => `#${tag}`).join(' ')}`;
  return `\n## ${title}\n\n*${updatedAt.slice(0, 10)}${tagLine}*\n\n${body}\n`;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}

function countWords(text: string): number {
  return text.split(/\s+/).filter(Boolean).length;
}
