import type { McpServer } from '@modelcontextprotocol/server';
import type { ServiceCaller } from '@souk/service-kit/request-gate.ts';
import { serverFactory } from '@souk/service-kit/server-factory.ts';
import { exportTools } from './export-tool.ts';
import { noteTools } from './note-tools.ts';
import type { NotesParts } from './parts.ts';
import { addPromptsAndResources } from './prompts-and-resources.ts';

const instructions = 'Your own notes with tags and full-text search. Search before you create: the note may exist.';

/** Returns a factory of server objects, one for each request or session of a signed-in account. */
export function notesServers(parts: NotesParts): (caller: ServiceCaller) => McpServer {
  const tools = [...noteTools(parts), ...exportTools(parts)];
  return serverFactory({
    name: 'notes',
    instructions,
    tools,
    addPromptsAndResources: (server, caller) => addPromptsAndResources(server, parts, caller),
  });
}
