import type { Tool } from '@modelcontextprotocol/server';
import { builtInToolTitles } from '@souk/contract/built-in-tools.ts';

/** Makes Claude Code (2.1.121 and later) keep a tool loaded instead of behind its own tool search. */
export const alwaysLoadKey = 'anthropic/alwaysLoad';

const readOnly = { readOnlyHint: true, openWorldHint: false };
const innerCall = {
  type: 'object' as const,
  properties: {
    name: { type: 'string', description: "The tool's name, as find_tools gives it." },
    arguments: { type: 'object', description: "The tool's own arguments." },
  },
  required: ['name'],
};

/**
 * The built-in tools, always in the list of /mcp and never changing. They give a client that keeps its first list access to
 * tools enabled later, and make a compact list sufficient. There are two tools for calling, so that
 * a client's rule "reading needs no approval" stays meaningful.
 */
export const metaTools: readonly Tool[] = (
  [
    {
      name: 'find_tools',
      title: builtInToolTitles.find_tools,
      description:
        'Finds the tools that fit a task, best first, among all the tools that you can use here, including those that are not in your list. Then call one with call_read_only_tool or call_tool.',
      inputSchema: {
        type: 'object',
        properties: {
          query: { type: 'string', description: 'What you want to do, in a few words.' },
          limit: { type: 'integer', minimum: 1, maximum: 50, default: 10 },
        },
        required: ['query'],
      },
      annotations: readOnly,
    },
    {
      name: 'call_read_only_tool',
      title: builtInToolTitles.call_read_only_tool,
      description: 'Calls a tool by the name that find_tools gave. Refuses tools that are not marked read-only.',
      inputSchema: innerCall,
      annotations: { readOnlyHint: true, openWorldHint: true },
    },
    {
      name: 'call_tool',
      title: builtInToolTitles.call_tool,
      description: 'Calls any tool by the name that find_tools gave, including one that changes or deletes something.',
      inputSchema: innerCall,
      annotations: { readOnlyHint: false, destructiveHint: true, openWorldHint: true },
    },
    {
      name: 'list_my_servers',
      title: builtInToolTitles.list_my_servers,
      description:
        'Lists the servers that you can use, with the prefix of their tool names, and says whether they answer, are switched on, or need your sign-in.',
      inputSchema: { type: 'object', properties: {} },
      annotations: readOnly,
    },
    {
      name: 'my_balance',
      title: builtInToolTitles.my_balance,
      description:
        'Says how many credits you have for paid tools: what is available, what expires when, how much of your monthly cap you have spent, and where to get more. Free.',
      inputSchema: { type: 'object', properties: {} },
      annotations: readOnly,
    },
  ] satisfies Tool[]
).map((tool) => ({ ...tool, _meta: { [alwaysLoadKey]: true } }));
