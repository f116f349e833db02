import type { Page } from '@playwright/test';

/** Calls a tool through the person's link, with a token that their own page made. Answers the answer's text. */
export async function callThroughLink(page: Page, publicUrl: string, name: string): Promise<string> {
  const token = await page.evaluate(async () => {
    const { accessToken } = JSON.parse(localStorage.getItem('souk.tokens') ?? '{}');
    const answer = await fetch('/auth/pat/create', {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'journey' }),
    });
    return (await answer.json()).token as string;
  });
  const answer = await fetch(`${publicUrl}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
      'mcp-protocol-version': '2026-07-28',
      'mcp-method': 'tools/call',
      'mcp-name': name,
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: {
        name,
        arguments: {},
        _meta: {
          'io.modelcontextprotocol/protocolVersion': '2026-07-28',
          'io.modelcontextprotocol/clientCapabilities': {},
        },
      },
    }),
  });
  return answer.text();
}
