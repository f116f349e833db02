export const pillars = [
  {
    id: 'secrets',
    title: 'No Secrets',
    text: 'You sign in with the account you already have. No secret is pasted into a settings file, and you can revoke any app at any time.',
  },
  {
    id: 'keys',
    title: 'No Keys',
    text: 'There are no API keys to request, copy or rotate. The services behind the link keep their own.',
  },
  {
    id: 'configuration',
    title: 'No Configuration',
    text: 'One link is the whole setup. Services you switch on later appear behind the same link, without a restart.',
  },
] as const;

export const steps = [
  {
    id: 'open',
    title: 'Open your LLM',
    text: 'Claude, ChatGPT, VS Code, Cursor or any other client that supports MCP.',
  },
  {
    id: 'add',
    title: 'Add a link',
    text: "Paste this link where your client adds an MCP server. It's the same for every client.",
  },
  {
    id: 'go',
    title: 'Go',
    text: 'Sign in once when your client asks. Then ask your assistant for something: it has the tools.',
  },
] as const;

export const vision = [
  'An AI assistant is only as useful as the tools it can reach. Today each tool comes with its own installation, its own key and its own settings file, and most people give up before the first result.',
  'We want adding a tool to be as simple as opening a link: find a service, see what it does and what it costs, switch it on, and use it in the assistant you already have.',
  'The marketplace itself is open source. Anyone can host one, for everyone or just for their own company, and every service that speaks the Model Context Protocol can be part of it.',
] as const;
