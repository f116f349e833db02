/** Words of the home page that stand nowhere else. */
export const features = [
  {
    id: 'setup',
    title: 'Instant Setup',
    text: 'Paste one link. Your client signs you in by itself, and every tool that you may use is there. No restart when something new arrives.',
  },
  {
    id: 'security',
    title: 'Enterprise Security',
    text: 'Each client signs in with OAuth and holds a token for this address alone. Your sign-in is never passed on to a server, and access can be taken back at any time.',
  },
  {
    id: 'community',
    title: 'Growing Community',
    text: 'Open source, and open to every MCP server: over HTTP, over WebSocket, or as a program. Anyone can host a market of their own.',
  },
] as const;

/** The four questions of home. */
export const questions = [
  {
    id: 'what',
    title: 'What is an MCP server?',
    content:
      'A service that gives an AI assistant tools: to look up flights, keep notes, read files. MCP, the Model Context Protocol, is the open standard in which assistants and such services speak.',
  },
  {
    id: 'keys',
    title: 'Do I need API keys?',
    content:
      'No. There are no API keys, no secrets and no configuration. You paste a link, and your client opens a sign-in page the first time it connects. A server that keeps data of your own may ask you to sign in there once.',
  },
  {
    id: 'clients',
    title: 'Which AI clients work?',
    content:
      'Every client that speaks MCP: Claude, ChatGPT, VS Code, Cursor, Windsurf, Codex, Gemini CLI, Copilot CLI, LM Studio and others. Clients that can only start programs connect through mcp-remote.',
  },
  {
    id: 'cost',
    title: 'What does it cost?',
    content:
      'Free servers cost nothing. Premium servers come with a plan or a monthly rental. Where a tool costs credits, the price of a call stands beside it before you use it.',
  },
] as const;
