import type { Page } from '@playwright/test';
import { test as base, expect } from './product-test.ts';
import { startClientDoors, type ClientDoors } from './client-doors.ts';

// per test: a worker with its own fixture would be another one, with another product and browser
const test = base.extend<{ clients: ClientDoors }>({
  clients: async ({}, use) => {
    const doors = await startClientDoors();
    await use(doors);
    await doors.close();
  },
});
test.use({ ignoreHTTPSErrors: true });

const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM';

/** Registers a client and opens its authorization address, as an MCP client does with the user's browser. */
async function openConsent(page: Page, publicUrl: string, redirectUri: string, name = 'A client'): Promise<void> {
  const answer = await fetch(`${publicUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: name, redirect_uris: [redirectUri] }),
  });
  const registered: { client_id?: string } = Object(await answer.json());
  const url = new URL('/oauth/authorize', publicUrl);
  url.search = new URLSearchParams({
    client_id: registered.client_id ?? '',
    response_type: 'code',
    redirect_uri: redirectUri,
    code_challenge: challenge,
    code_challenge_method: 'S256',
    state: 'the-state',
    resource: `${publicUrl}/mcp`,
  }).toString();
  await page.goto(url.href);
}

for (const kind of ['loopback', 'https'] as const) {
  test(`a client's sign-in is approved by clicking Allow, towards a callback of kind ${kind}`, async ({
    page,
    product,
    clients,
  }) => {
    const { redirectUri, callback } = clients[kind];
    await openConsent(page, product.publicUrl, redirectUri);
    await expect(page.getByRole('heading', { level: 1 })).toContainText('A client');
    await expect(page.getByText('Unverified application')).toBeVisible();
    await expect(page.getByText(new URL(redirectUri).host, { exact: true })).toBeVisible();
    await page.getByRole('button', { name: 'Allow', exact: true }).click();
    await page.getByRole('button', { name: /admin@souk.test/ }).click();
    const { searchParams } = await callback();
    expect(searchParams.get('state')).toBe('the-state');
    expect(searchParams.get('iss')).toBe(product.publicUrl);
    expect(searchParams.get('code')).toBeTruthy();
    await expect(page.getByText('Back at the client')).toBeVisible();
  });
}

test('Cancel returns access_denied, and no account is requested', async ({ page, product, clients }) => {
  const { redirectUri, callback } = clients.loopback;
  await openConsent(page, product.publicUrl, redirectUri);
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  const { searchParams } = await callback();
  expect(searchParams.get('error')).toBe('access_denied');
  expect(searchParams.get('code')).toBeNull();
});

test('markup in the name of a client is text', async ({ page, product }) => {
  const name = '<img src=x onerror=alert(1)><b>Bold</b>';
  page.on('dialog', () => expect('a dialog').toBe('never'));
  await openConsent(page, product.publicUrl, 'http://127.0.0.1:53682/callback', name);
  await expect(page.getByRole('heading', { level: 1 })).toContainText(name);
  expect(await page.locator('img, b').count()).toBe(0);
});

test('the consent is given by keyboard only', async ({ page, product, clients }) => {
  const { redirectUri, callback } = clients.loopback;
  await openConsent(page, product.publicUrl, redirectUri);
  const allow = page.getByRole('button', { name: 'Allow', exact: true });
  for (let presses = 0; presses < 10 && !(await allow.evaluate((button) => button.matches(':focus'))); presses++) {
    await page.keyboard.press('Tab');
  }
  await page.keyboard.press('Enter');
  await page.getByLabel('E-mail address').fill('keyboard@souk.test');
  await page.keyboard.press('Enter');
  expect((await callback()).searchParams.get('code')).toBeTruthy();
});
