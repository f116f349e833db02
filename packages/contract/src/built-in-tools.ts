/** The tools of the broker itself on /mcp, with the titles that people read. */
export const builtInToolTitles = {
  find_tools: 'Find tools',
  call_read_only_tool: 'Call a tool that only reads',
  call_tool: 'Call any tool',
  list_my_servers: 'List my servers',
  my_balance: 'My balance',
} as const;
export type BuiltInTool = keyof typeof builtInToolTitles;

/** No service's tool on /mcp can have these names: all others contain `__`. */
export const isBuiltInTool = (name: string): name is BuiltInTool => Object.hasOwn(builtInToolTitles, name);

/** A name that no built-in tool has stays as it was called. */
export const builtInToolTitle = (name: string): string => (isBuiltInTool(name) ? builtInToolTitles[name] : name);
