import { describe, expect, test } from 'vitest';
import { clientForms, connectTarget, isLocal } from './client-forms.ts';

const broker = { brandName: 'Souk', publicUrl: 'https://souk.example' };
const target = connectTarget(broker);
const form = (id: string, of = target) => {
  const found = clientForms(of).find((client) => client.id === id);
  if (!found) throw new Error(`no client ${id}`);
  return found;
};
const codeOf = (id: string) => form(id).snippets[0]?.code;

describe('the settings for a client', () => {
  test('the all-servers link, and the link of one service, each under a separate name', () => {
    expect(target).toEqual({ link: 'https://souk.example/mcp', title: 'Souk', name: 'souk' });
    expect(connectTarget(broker, { id: 'travel-pro', name: 'Travel Pro' })).toEqual({
      link: 'https://souk.example/s/travel-pro/mcp',
      title: 'Souk Travel Pro',
      name: 'souk-travel-pro',
    });
  });

  test('a brand becomes a name that every command line accepts as one word', () => {
    expect(connectTarget({ ...broker, brandName: 'Müller & Söhne Tools' }).name).toBe('m-ller-s-hne-tools');
    expect(connectTarget({ ...broker, brandName: '市場' }).name).toBe('souk');
  });

  test('a link on this machine is distinguished from a public one', () => {
    for (const link of ['http://localhost:3000/mcp', 'http://127.0.0.1/mcp', 'http://[::1]:3000/mcp']) {
      expect(isLocal(link), link).toBe(true);
    }
    expect(isLocal('https://localhost.example/mcp')).toBe(false);
  });

  test('no client is listed twice', () => {
    const ids = clientForms(target).map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });
});

test('each client says in one line what happens next, and the date of its menus', () => {
  for (const { id, next, menusAsOf, remote } of clientForms(target)) {
    expect(next, id).toMatch(/^[^\n]{20,120}\.$/);
    expect(menusAsOf !== undefined, id).toBe(remote === true || id === 'lm-studio');
  }
  expect(form('copilot-cli').next).toContain('when copilot starts');
});

describe('one-click links', () => {
  test('Claude', () => {
    expect(form('claude').oneClick?.href).toBe(
      'https://claude.ai/customize/connectors?modal=add-custom-connector&connectorName=Souk&connectorUrl=https%3A%2F%2Fsouk.example%2Fmcp',
    );
    const service = connectTarget(broker, { id: 'travel', name: 'Travel & more' });
    const query = new URL(form('claude', service).oneClick?.href ?? '').searchParams;
    expect(query.get('connectorName')).toBe('Souk Travel & more');
    expect(query.get('connectorUrl')).toBe('https://souk.example/s/travel/mcp');
  });

  test('VS Code: the settings as JSON, encoded whole', () => {
    const href = form('vs-code').oneClick?.href;
    expect(href).toBe(
      'vscode:mcp/install?%7B%22name%22%3A%22souk%22%2C%22type%22%3A%22http%22%2C%22url%22%3A%22https%3A%2F%2Fsouk.example%2Fmcp%22%7D',
    );
  });

  test('Cursor: base64 of the settings, with its padding encoded', () => {
    const href = form('cursor').oneClick?.href ?? '';
    expect(href).toBe(
      'cursor://anysphere.cursor-deeplink/mcp/install?name=souk&config=eyJ1cmwiOiJodHRwczovL3NvdWsuZXhhbXBsZS9tY3AifQ%3D%3D',
    );
    expect(settingsIn(href)).toEqual({ url: 'https://souk.example/mcp' });
  });

  test('LM Studio: the same settings under its own address', () => {
    const href = form('lm-studio').oneClick?.href ?? '';
    expect(href).toMatch(/^lmstudio:\/\/add_mcp\?name=souk&config=[A-Za-z0-9%]+$/);
    expect(settingsIn(href)).toEqual({ url: 'https://souk.example/mcp' });
  });

  function settingsIn(href: string): unknown {
    return JSON.parse(atob(new URL(href).searchParams.get('config') ?? ''));
  }
});

describe('commands and settings files', () => {
  test('Claude Code, with and without a token', () => {
    expect(codeOf('claude-code')).toBe(
      'claude mcp add -s user --transport http souk https://souk.example/mcp\nclaude mcp login souk',
    );
    expect(form('claude-code').snippets[1]?.code).toBe(
      'claude mcp add -s user --transport http souk https://souk.example/mcp --header "Authorization: Bearer YOUR_TOKEN"',
    );
  });

  test('VS Code, Windsurf, Cursor and LM Studio', () => {
    expect(JSON.parse(codeOf('vs-code') ?? '')).toEqual({
      servers: { souk: { type: 'http', url: 'https://souk.example/mcp' } },
    });
    expect(JSON.parse(codeOf('windsurf') ?? '')).toEqual({
      mcpServers: { souk: { serverUrl: 'https://souk.example/mcp' } },
    });
    for (const id of ['cursor', 'lm-studio']) {
      expect(JSON.parse(codeOf(id) ?? '')).toEqual({ mcpServers: { souk: { url: 'https://souk.example/mcp' } } });
    }
  });

  test('Codex, Gemini CLI, Copilot CLI and clients that only start programs', () => {
    expect(codeOf('codex')).toBe('codex mcp add souk --url https://souk.example/mcp');
    expect(form('codex').snippets[1]?.code).toBe(
      'codex mcp add souk --url https://souk.example/mcp --bearer-token-env-var SOUK_TOKEN',
    );
    expect(codeOf('gemini-cli')).toBe('gemini mcp add -s user --transport http souk https://souk.example/mcp');
    expect(codeOf('copilot-cli')).toBe('copilot mcp add --transport http souk https://souk.example/mcp');
    expect(codeOf('stdio')).toBe('npx -y mcp-remote https://souk.example/mcp');
  });

  test('every client that accepts headers has a form for an access token, and no other client does', () => {
    const bearer = 'Authorization: Bearer YOUR_TOKEN';
    const headers = { Authorization: 'Bearer YOUR_TOKEN' };
    const url = 'https://souk.example/mcp';
    const tokenForms: Record<string, unknown> = {
      'claude-code': `claude mcp add -s user --transport http souk ${url} --header "${bearer}"`,
      codex: `codex mcp add souk --url ${url} --bearer-token-env-var SOUK_TOKEN`,
      'gemini-cli': `gemini mcp add -s user --transport http souk ${url} --header "${bearer}"`,
      'copilot-cli': `copilot mcp add --transport http souk ${url} --header "${bearer}"`,
      'vs-code': {
        servers: { souk: { type: 'http', url, headers: { Authorization: 'Bearer ${input:souk-token}' } } },
        inputs: [{ type: 'promptString', id: 'souk-token', description: 'Access token', password: true }],
      },
      cursor: { mcpServers: { souk: { url, headers } } },
      windsurf: { mcpServers: { souk: { serverUrl: url, headers } } },
      'lm-studio': { mcpServers: { souk: { url, headers } } },
      stdio: {
        mcpServers: {
          souk: {
            command: 'npx',
            args: ['-y', 'mcp-remote', url, '--header', 'Authorization:${AUTH_HEADER}'],
            env: { AUTH_HEADER: 'Bearer YOUR_TOKEN' },
          },
        },
      },
    };
    for (const { id, snippets } of clientForms(target)) {
      const [found, ...others] = snippets.filter(({ needsToken }) => needsToken).map(({ code }) => code);
      expect(others, id).toEqual([]);
      expect(found?.startsWith('{') ? JSON.parse(found) : found, id).toEqual(tokenForms[id]);
    }
  });

  test('a settings file is named with its folder', () => {
    for (const { id, snippets } of clientForms(target)) {
      for (const { label } of snippets.filter(({ label: one }) => one.endsWith('.json'))) {
        expect(label, id).toMatch(/^(~\/\.|\.vscode\/)/);
      }
    }
    expect(form('windsurf').snippets[0]?.label).toBe('~/.codeium/windsurf/mcp_config.json');
  });

  test('ChatGPT has no link to click: steps, and the link to paste', () => {
    expect(form('chatgpt').oneClick).toBeUndefined();
    expect(form('chatgpt').steps.join(' ')).toMatch(
      /Settings.*Security and login.*Developer mode.*chatgpt\.com\/plugins.*Add custom MCP server.*OAuth.*Create as a plugin/,
    );
    expect(codeOf('chatgpt')).toBe('https://souk.example/mcp');
  });
});
