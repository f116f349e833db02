/** The setup of an MCP client. Commands and settings are pasted, so they must be exact. */
export type ClientForm = {
  id: string;
  name: string;
  /** Opens the client with everything filled in. */
  oneClick?: { label: string; href: string };
  steps: readonly string[];
  snippets: readonly Snippet[];
  next: string;
  /** The month in which these menus were checked with the client's maker, since menus move. */
  menusAsOf?: string;
  /** The client calls from its maker's servers, which cannot reach a link on this machine. */
  remote?: true;
};
export type Snippet = {
  label: string;
  code: string;
  /** The user puts an access token into it, or into the variable that it names. */
  needsToken?: true;
};

export type ConnectTarget = {
  /** {publicUrl}/mcp or {publicUrl}/s/{serverId}/mcp. */
  link: string;
  /** The name in a client's list: 'Souk', 'Souk Travel'. */
  title: string;
  /** The name on a command line: 'souk', 'souk-travel'. */
  name: string;
};

export function clientForms(target: ConnectTarget): ClientForm[] {
  return forms.map((form) => form(target));
}

const json = (value: unknown): string => JSON.stringify(value);
const block = (value: unknown): string => JSON.stringify(value, null, 2);
const mcpServers = (name: string, server: object): string => block({ mcpServers: { [name]: server } });
/** Encodes a link, which is ASCII: an origin is punycode, a server's id is a-z, 0-9 and -. */
const base64Config = (link: string): string => encodeURIComponent(btoa(json({ url: link })));
const variableOf = (name: string): string => `${name.toUpperCase().replaceAll(/[^A-Z0-9]+/g, '_')}_TOKEN`;

const menusAsOf = 'November 2026';

// Which clients accept headers, and where their files are: the makers' pages and programs as of November 2026.
const withToken = 'With an access token instead of signing in';
const bearer = { headers: { Authorization: 'Bearer YOUR_TOKEN' } };
const bearerOption = '--header "Authorization: Bearer YOUR_TOKEN"';
const tokenSnippet = (code: string): Snippet => ({ label: withToken, code, needsToken: true });
const browserOpens = 'Your browser opens to sign in when the client first connects.';

const claude = ({ link, title }: ConnectTarget): ClientForm => ({
  id: 'claude',
  name: 'Claude',
  oneClick: {
    label: 'Add to Claude',
    href: `https://claude.ai/customize/connectors?modal=add-custom-connector&connectorName=${encodeURIComponent(title)}&connectorUrl=${encodeURIComponent(link)}`,
  },
  steps: ['Or open Customize, Connectors, choose + and Add custom connector, and paste the link.'],
  snippets: [],
  next: 'Choose Connect and sign in here. Then turn the connector on in a chat: +, Connectors.',
  menusAsOf,
  remote: true,
});

const claudeCode = ({ link, name }: ConnectTarget): ClientForm => ({
  id: 'claude-code',
  name: 'Claude Code',
  steps: ['Run these in a terminal: the first adds the link for all your folders, the second signs you in.'],
  snippets: [
    { label: 'Terminal', code: `claude mcp add -s user --transport http ${name} ${link}\nclaude mcp login ${name}` },
    tokenSnippet(`claude mcp add -s user --transport http ${name} ${link} ${bearerOption}`),
  ],
  next: `Your browser opens to sign in. After that, /mcp in Claude Code shows ${name} as connected.`,
});

const chatGpt = ({ link }: ConnectTarget): ClientForm => ({
  id: 'chatgpt',
  name: 'ChatGPT',
  steps: [
    'In ChatGPT on the web, open Settings, Security and login, and turn on Developer mode.',
    'Open chatgpt.com/plugins, choose +, then Add custom MCP server.',
    'Enter a name, paste the link as Server URL, pick OAuth, and choose Create as a plugin.',
  ],
  snippets: [{ label: 'Link', code: link }],
  next: "ChatGPT sends you here to sign in. Access tokens don't work with it.",
  menusAsOf,
  remote: true,
});

const vsCode = ({ link, name }: ConnectTarget): ClientForm => ({
  id: 'vs-code',
  name: 'VS Code',
  oneClick: {
    label: 'Install in VS Code',
    href: `vscode:mcp/install?${encodeURIComponent(json({ name, type: 'http', url: link }))}`,
  },
  steps: ['Or add this to your project.'],
  snippets: [
    { label: '.vscode/mcp.json', code: block({ servers: { [name]: { type: 'http', url: link } } }) },
    // the file belongs to a project, so VS Code asks for the token and stores it elsewhere
    tokenSnippet(
      block({
        servers: {
          [name]: { type: 'http', url: link, headers: { Authorization: `Bearer \${input:${name}-token}` } },
        },
        inputs: [{ type: 'promptString', id: `${name}-token`, description: 'Access token', password: true }],
      }),
    ),
  ],
  next: 'VS Code asks whether you trust the server, then opens your browser to sign in.',
});

const cursor = ({ link, name }: ConnectTarget): ClientForm => ({
  id: 'cursor',
  name: 'Cursor',
  oneClick: {
    label: 'Add to Cursor',
    href: `cursor://anysphere.cursor-deeplink/mcp/install?name=${encodeURIComponent(name)}&config=${base64Config(link)}`,
  },
  steps: ["Or add this to Cursor's settings file."],
  snippets: [
    { label: '~/.cursor/mcp.json', code: mcpServers(name, { url: link }) },
    tokenSnippet(mcpServers(name, { url: link, ...bearer })),
  ],
  next: browserOpens,
});

const windsurf = ({ link, name }: ConnectTarget): ClientForm => ({
  id: 'windsurf',
  name: 'Windsurf',
  steps: [
    "Add this to Windsurf's settings file and reload its servers. On Windows, the file is in %USERPROFILE%\\.codeium\\windsurf.",
  ],
  snippets: [
    { label: '~/.codeium/windsurf/mcp_config.json', code: mcpServers(name, { serverUrl: link }) },
    tokenSnippet(mcpServers(name, { serverUrl: link, ...bearer })),
  ],
  next: browserOpens,
});

const codex = ({ link, name }: ConnectTarget): ClientForm => ({
  id: 'codex',
  name: 'Codex',
  steps: ['Run this in a terminal.'],
  snippets: [
    { label: 'Terminal', code: `codex mcp add ${name} --url ${link}` },
    {
      label: `With an access token in the variable ${variableOf(name)} instead of signing in`,
      code: `codex mcp add ${name} --url ${link} --bearer-token-env-var ${variableOf(name)}`,
      needsToken: true,
    },
  ],
  next: `Your browser now opens to sign in. If it doesn't, run codex mcp login ${name}.`,
});

const geminiCli = ({ link, name }: ConnectTarget): ClientForm => ({
  id: 'gemini-cli',
  name: 'Gemini CLI',
  steps: [`Run this in a terminal, then type /mcp auth ${name} in Gemini to sign in.`],
  snippets: [
    { label: 'Terminal', code: `gemini mcp add -s user --transport http ${name} ${link}` },
    tokenSnippet(`gemini mcp add -s user --transport http ${name} ${link} ${bearerOption}`),
  ],
  next: 'Your browser opens to sign in. After that, /mcp lists your tools.',
});

const copilotCli = ({ link, name }: ConnectTarget): ClientForm => ({
  id: 'copilot-cli',
  name: 'Copilot CLI',
  steps: ['Run this in a terminal, then start copilot.'],
  snippets: [
    { label: 'Terminal', code: `copilot mcp add --transport http ${name} ${link}` },
    tokenSnippet(`copilot mcp add --transport http ${name} ${link} ${bearerOption}`),
  ],
  next: 'Your browser opens to sign in when copilot starts, not when you add the link.',
});

const lmStudio = ({ link, name }: ConnectTarget): ClientForm => ({
  id: 'lm-studio',
  name: 'LM Studio',
  oneClick: {
    label: 'Add to LM Studio',
    href: `lmstudio://add_mcp?name=${encodeURIComponent(name)}&config=${base64Config(link)}`,
  },
  steps: ['Or open the Program tab on the right, choose Install, Edit mcp.json, and add this.'],
  snippets: [
    { label: '~/.lmstudio/mcp.json', code: mcpServers(name, { url: link }) },
    tokenSnippet(mcpServers(name, { url: link, ...bearer })),
  ],
  next: browserOpens,
  menusAsOf,
});

const stdioOnly = ({ link, name }: ConnectTarget): ClientForm => ({
  id: 'stdio',
  name: 'Other clients',
  steps: ['If your client has no field for a link, give it this command.'],
  snippets: [
    { label: 'Command', code: `npx -y mcp-remote ${link}` },
    {
      label: 'For most settings files',
      code: mcpServers(name, { command: 'npx', args: ['-y', 'mcp-remote', link] }),
    },
    // some clients split arguments at spaces
    tokenSnippet(
      mcpServers(name, {
        command: 'npx',
        args: ['-y', 'mcp-remote', link, '--header', 'Authorization:${AUTH_HEADER}'],
        env: { AUTH_HEADER: 'Bearer YOUR_TOKEN' },
      }),
    ),
  ],
  next: browserOpens,
});

const forms = [
  claude,
  claudeCode,
  chatGpt,
  vsCode,
  cursor,
  windsurf,
  codex,
  geminiCli,
  copilotCli,
  lmStudio,
  stdioOnly,
];

/** Client names for places that show names only. */
export const clientNames = ['Claude', 'ChatGPT', 'VS Code', 'Cursor', 'Windsurf', 'Codex', 'Gemini CLI', 'LM Studio'];

/** Returns whether the link is on this machine, where only its own programs can call it. */
export function isLocal(link: string): boolean {
  const { hostname } = new URL(link);
  return (
    hostname === 'localhost' ||
    hostname.endsWith('.localhost') ||
    hostname === '[::1]' ||
    /^127(\.\d+){3}$/.test(hostname)
  );
}

/** 'Souk' -> { title: 'Souk', name: 'souk' }; with a service 'Travel' (travel) -> 'Souk Travel', 'souk-travel'. */
export function connectTarget(
  { brandName, publicUrl }: { brandName: string; publicUrl: string },
  service?: { id: string; name: string },
): ConnectTarget {
  const brand =
    brandName
      .toLowerCase()
      .replaceAll(/[^a-z0-9]+/g, '-')
      .replaceAll(/^-|-$/g, '') || 'souk';
  if (!service) return { link: `${publicUrl}/mcp`, title: brandName, name: brand };
  const link = `${publicUrl}/s/${encodeURIComponent(service.id)}/mcp`;
  return { link, title: `${brandName} ${service.name}`, name: `${brand}-${service.id}` };
}
