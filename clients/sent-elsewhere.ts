/**
 * Registrations and sign-ins of clients that these runs cannot use, or use in another way, from public sources as of 2026-11-25.
 * The tests of identity check that those that are listed as refused are refused.
 */
export type SentElsewhere = {
  client: string;
  redirects: string;
  scopes: string;
  /** Souk's answer. */
  here: string;
  sources: readonly string[];
};

const github = (path: string): string => `https://github.com/${path}`;
const ok = 'ok';

export const sentElsewhere: readonly SentElsewhere[] = [
  {
    client: 'n8n',
    redirects:
      '`https://{instance}/rest/oauth2-credential/callback`; n8n Cloud then requests `https://oauth.n8n.cloud/oauth2/callback`, which it did not register',
    scopes: "the authorization server's, else `openid`; until the end of 2025 always `openid`",
    here: 'ok: the consent offers all scopes of the link; n8n Cloud with that bug: refused',
    sources: [github('n8n-io/n8n/issues/22851'), github('n8n-io/n8n/pull/32300'), github('n8n-io/n8n/issues/21791')],
  },
  {
    client: 'VS Code',
    redirects:
      '`https://insiders.vscode.dev/redirect`, `https://vscode.dev/redirect`, `http://127.0.0.1/`, `http://127.0.0.1:33418/`',
    scopes: "the resource's; its identifier must equal the entered address",
    here: 'ok, also with a trailing slash',
    sources: [github('microsoft/vscode/blob/main/src/vs/base/common/oauth.ts')],
  },
  {
    client: 'Cursor',
    redirects:
      '`cursor://anysphere.cursor-mcp/oauth/callback`, `https://www.cursor.com/agents/mcp/oauth/callback`, `http://localhost:8787/callback` together, as a `web` client',
    scopes: 'unknown',
    here: ok,
    sources: [github('erp-mafia/accounted/pull/2225'), github('elie222/inbox-zero/pull/3780')],
  },
  {
    client: 'Cursor, Grok Bot',
    redirects: '`https://www.cursor.com/bot/mcp/oauth/callback`, `grokbot://mcp/oauth/callback`',
    scopes: 'unknown',
    here: ok,
    sources: [github('cursor/plugins/pull/461')],
  },
  {
    client: 'ChatGPT',
    redirects:
      '`https://chatgpt.com/connector_platform_oauth_redirect`, or `https://chatgpt.com/connector/oauth/{id}` for each connector',
    scopes: 'those in the metadata; none when it reconnects',
    here: ok,
    sources: [
      'https://community.openai.com/t/oauth-missing-scopes-after-reconnect/1366784',
      github('elastic/docs-content/pull/7733'),
    ],
  },
  {
    client: 'Claude (web, desktop)',
    redirects:
      '`https://claude.ai/api/mcp/auth_callback`, `https://claude.com/api/mcp/auth_callback`; Claude Code in the desktop app: a `claude://` address',
    scopes: 'those that it found; `claudeai` if it found none; ` offline_access` with a leading space',
    here: ok,
    sources: [
      github('anthropics/claude-ai-mcp/issues/124'),
      github('anthropics/claude-ai-mcp/issues/453'),
      github('RevenueCat/ai-toolkit/issues/58'),
    ],
  },
  {
    client: 'Claude Code',
    redirects: '`http://localhost:{port}/callback`',
    scopes:
      'those of the challenge or the resource, and `offline_access`; earlier versions requested it even if it was not offered',
    here: ok,
    sources: [github('anthropics/claude-code/issues/41610')],
  },
  {
    client: 'Codex',
    redirects: '`http://127.0.0.1:{port}/callback/…`',
    scopes: "the authorization server's, not the challenge's",
    here: ok,
    sources: [github('openai/codex/issues/15643')],
  },
  {
    client: 'mcp-remote',
    redirects: '`http://localhost:{port}/oauth/callback`',
    scopes: '`openid email profile` if it finds none',
    here: 'ok: the consent offers all scopes of the link',
    sources: [github('cloudflare/mcp-server-cloudflare/issues/457')],
  },
  {
    client: 'Copilot Studio',
    redirects: '`https://global.consent.azure-apim.net/redirect/{tool}`',
    scopes: 'those in the registration response, else none',
    here: 'ok: no scope means all',
    sources: [github('SmartBear/smartbear-mcp/issues/463'), github('pantalytics/odoo-mcp-pro/pull/58')],
  },
  {
    client: 'Open WebUI',
    redirects: 'its own host',
    scopes: 'those in the registration response, else none',
    here: 'ok: no scope means all',
    sources: [github('open-webui/open-webui/issues/29967')],
  },
  {
    client: 'Antigravity',
    redirects: '`https://antigravity.google/oauth-callback`; extensions in its editor: `antigravity-ide:`',
    scopes: 'unknown',
    here: ok,
    sources: [github('google-antigravity/antigravity-cli/issues/480'), github('LionSR/TeXRA/pull/11285')],
  },
  {
    client: 'Cline',
    redirects: 'the scheme of its editor, such as `vscode://saoudrizwan.claude-dev`',
    scopes: 'unknown',
    here: 'ok in editors whose schemes are allowed',
    sources: [github('cline/cline/blob/main/src/hosts/vscode/hostbridge/env/getIdeRedirectUri.ts')],
  },
  {
    client: 'JetBrains Gateway',
    redirects: '`jetbrains://gateway/…`',
    scopes: 'unknown',
    here: ok,
    sources: [github('bytebase/bytebase/issues/20510')],
  },
  {
    client: 'Raycast',
    redirects:
      '`raycast://oauth?package_name=…`, `com.raycast:/oauth?package_name=…`, `https://raycast.com/redirect?packageName=…`',
    scopes: 'unknown',
    here: ok,
    sources: [github('raycast/extensions/blob/main/docs/api-reference/oauth.md')],
  },
  {
    client: 'Warp',
    redirects: '`warp://mcp/oauth2callback`; it then requests the address with `?server_id=…` added',
    scopes: 'unknown',
    here: 'refused with that bug: the redirect address must be the registered one',
    sources: [github('warpdotdev/warp/issues/9088')],
  },
  {
    client: 'SpeakMCP, systemprompt',
    redirects: '`speakmcp://oauth/callback`, `systemprompt://oauth/callback`',
    scopes: 'unknown',
    here: ok,
    sources: [github('aj47/SpeakMCP/pull/62'), github('getsentry/sentry-mcp/issues/214')],
  },
];
