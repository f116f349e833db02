/** Tools of the broker itself on /mcp, with their display titles. */
export const builtInToolTitles = {
  find_tools: 'Find tools',
  call_read_only_tool: 'Call a tool that only reads',
  call_tool: 'Call any tool',
  list_my_servers: 'List my servers',
  my_balance: 'My balance',
} as const;
export type BuiltInTool = keyof typeof builtInToolTitles;

/** Tells built-in tools apart from those of services, whose names on /mcp all contain `__`. */
export const isBuiltInTool = (name: string): name is BuiltInTool => Object.hasOwn(builtInToolTitles, name);

/** Returns a built-in tool's title; any other name is returned unchanged. */
export const builtInToolTitle = (name: string): string => (isBuiltInTool(name) ? builtInToolTitles[name] : name);
