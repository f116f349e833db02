import type { Page } from '@playwright/test';
import { modernRequest } from '../../apps/broker/src/testing/people/modern-request.ts';

/** Calls a tool through the user's link, with a token that their own page created. Returns the text of the result. */
export async function callThroughLink(
  page: Page,
  publicUrl: string,
  name: string,
  args: Record<string, unknown> = {},
): Promise<string> {
  const token = await page.evaluate(async () => {
    const { accessToken } = JSON.parse(localStorage.getItem('souk.tokens') ?? '{}');
    const answer = await fetch('/auth/pat/create', {
      method: 'POST',
      headers: { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ name: 'journey' }),
    });
    return (await answer.json()).token as string;
  });
  const answer = await fetch(`${publicUrl}/mcp`, modernRequest(token, 'tools/call', { name, arguments: args }));
  return answer.text();
}
