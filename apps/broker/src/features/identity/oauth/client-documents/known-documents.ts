import type { PublicMetadata } from './fetch-client-document.ts';

/**
 * Metadata documents of well-known clients, as of November 2026, for when a document cannot be fetched: these clients
 * would not register instead, so no user could sign in with them. A fetched document takes precedence. Clients whose
 * document is not known for certain are missing.
 */
const known: Record<string, { name: string; uri: string; redirects: string[] }> = {
  'https://claude.ai/oauth/claude-code-client-metadata': {
    name: 'Claude Code',
    uri: 'https://claude.ai',
    redirects: ['http://localhost/callback', 'http://127.0.0.1/callback'],
  },
  'https://claude.ai/oauth/mcp-oauth-client-metadata': {
    name: 'Claude',
    uri: 'https://claude.ai',
    redirects: ['https://claude.ai/api/mcp/auth_callback'],
  },
  'https://vscode.dev/oauth/client-metadata.json': {
    name: 'Visual Studio Code',
    uri: 'https://vscode.dev/product',
    redirects: ['http://127.0.0.1:33418/', 'https://vscode.dev/redirect'],
  },
  'https://chatgpt.com/oauth/codex/client.json': {
    name: 'Codex',
    uri: 'https://chatgpt.com/',
    redirects: ['http://127.0.0.1/callback', 'http://localhost/callback'],
  },
  'https://chatgpt.com/oauth/client.json': {
    name: 'ChatGPT',
    uri: 'https://chatgpt.com/',
    redirects: ['https://chatgpt.com/connector_platform_oauth_redirect'],
  },
  'https://opencode.ai/oauth/opencode/client.json': {
    name: 'opencode',
    uri: 'https://opencode.ai',
    redirects: ['http://127.0.0.1/callback', 'http://localhost/callback'],
  },
  'https://zed.dev/oauth/client-metadata.json': {
    name: 'Zed',
    uri: 'https://zed.dev',
    redirects: ['http://127.0.0.1/callback'],
  },
};

export const knownDocuments: ReadonlyMap<string, PublicMetadata> = new Map(
  Object.entries(known).map(([clientId, { name, uri, redirects }]) => [
    clientId,
    {
      client_name: name,
      client_uri: uri,
      redirect_uris: redirects,
      application_type: redirects.every((redirect) => redirect.startsWith('https:')) ? 'web' : 'native',
      token_endpoint_auth_method: 'none',
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
    },
  ]),
);
