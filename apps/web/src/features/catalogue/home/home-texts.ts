import { sells } from '#web/config.ts';

export const features = [
  {
    id: 'setup',
    title: 'Instant Setup',
    text: 'Paste one link and sign in once. Your client then has every tool you can use, and new ones appear without a restart.',
  },
  {
    id: 'security',
    title: 'Enterprise Security',
    text: 'Each client signs in with OAuth and gets a token that works only here. We never pass your sign-in on to a service, and you can revoke access at any time.',
  },
  {
    id: 'community',
    title: 'Growing Community',
    text: 'Open source, and open to every MCP server that speaks HTTP, WebSocket or stdio. Anyone can host their own marketplace.',
  },
] as const;

/** The FAQ of home: four questions (spec part 1, section 2). */
export const questions = [
  {
    id: 'what',
    title: 'What is an MCP server?',
    content:
      'A service that gives an AI assistant tools, for example to look up flights, keep notes or read files. MCP, the Model Context Protocol, is the open standard that assistants and these services share.',
  },
  {
    id: 'keys',
    title: 'Do I need API keys?',
    content:
      'No. There are no API keys, no secrets and no configuration. You paste a link, and your client opens a sign-in page the first time it connects. A service that holds your own data may ask you to sign in there once.',
  },
  {
    id: 'clients',
    title: 'Which AI clients work?',
    content:
      'Every client that supports MCP: Claude, ChatGPT, VS Code, Cursor, Windsurf, Codex, Gemini CLI, Copilot CLI, LM Studio and others. Clients that can only start programs connect through mcp-remote.',
  },
  {
    id: 'cost',
    title: 'What does it cost?',
    content: sells
      ? 'Free services have no monthly price. Premium services come with a plan or a monthly rental. Some tools cost credits; each tool shows its price per call.'
      : 'Nothing. Every call is free, and your administrator decides which of the other services you can use.',
  },
] as const;
