import type { McpServer } from '@modelcontextprotocol/server';
import type { Clock } from '@souk/service-kit/clock.ts';
import type { ServiceCaller } from '@souk/service-kit/request-gate.ts';
import { serverFactory } from '@souk/service-kit/server-factory.ts';
import type { SlowCalls } from '@souk/service-kit/slow-calls.ts';
import { exportTools } from './export-tool.ts';
import { noteTools } from './note-tools.ts';
import type { Notes } from './notes.ts';
import { addPromptsAndResources } from './prompts-and-resources.ts';

/** What the tools work with. */
export type NotesParts = { notes: Notes; slowCalls: SlowCalls; clock: Clock; newId: () => string };

const instructions = 'Your own notes with tags and full-text search. Search before you create: the note may exist.';

/** How this process makes a server object for one request or session of the account that signed in. */
export function notesServers(parts: NotesParts): (caller: ServiceCaller) => McpServer {
  const tools = [...noteTools(parts), ...exportTools(parts)];
  return serverFactory({
    name: 'notes',
    instructions,
    tools,
    addPromptsAndResources: (server, caller) => addPromptsAndResources(server, parts, caller),
  });
}
