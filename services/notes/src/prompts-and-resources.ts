import { ProtocolError, ProtocolErrorCode, type McpServer } from '@modelcontextprotocol/server';
import type { ServiceCaller } from '@souk/service-kit/request-gate.ts';
import * as z from 'zod';
import type { NotesParts } from './parts.ts';

const mimeType = 'application/json';
const recentNotes = 10;

const summarySchema = z.object({ topic: z.string().max(200).describe('What the summary is about') });

export function addPromptsAndResources(server: McpServer, { notes }: NotesParts, caller: ServiceCaller): void {
  server.registerPrompt(
    'summarise_notes',
    {
      title: 'Summarize notes',
      description: 'Asks for a summary of what your notes say about a topic, with the titles of the notes.',
      argsSchema: summarySchema,
    },
    ({ topic }) => {
      const text =
        `Summarize what my notes say about "${topic}". Find them with search_notes, read the best ones with get_note, ` +
        'and name the note behind each statement. Say where notes contradict each other and what they leave open.';
      return { messages: [{ role: 'user', content: { type: 'text', text } }] };
    },
  );

  server.registerResource(
    'recent',
    'notes://recent',
    {
      title: 'Recent notes',
      description: 'Your ten most recently changed notes.',
      mimeType,
      cacheHint: { ttlMs: 0, cacheScope: 'private' },
    },
    (uri) => {
      if (caller.subject === undefined) {
        throw new ProtocolError(ProtocolErrorCode.InvalidRequest, 'notes://recent requires a signed-in user.');
      }
      const text = JSON.stringify(notes.recent(caller.subject, recentNotes));
      return { contents: [{ uri: uri.href, mimeType, text }] };
    },
  );
}
