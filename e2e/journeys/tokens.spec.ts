import type { Page } from '@playwright/test';
import { expectNoAxeFindings } from './axe-findings.ts';
import { failCalls, holdCalls } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';
import { openSignedIn } from './sign-in.ts';

async function openDashboard(page: Page, email: string): Promise<void> {
  await openSignedIn(page, '/dashboard?tab=tokens', email);
  await expect(page.getByRole('heading', { level: 2, name: 'Access tokens', exact: true })).toBeVisible();
}

const createButton = (page: Page) =>
  page
    .getByRole('region', { name: 'Access tokens', exact: true })
    .getByRole('button', { name: 'Create token', exact: true });

test('a form that explains its fields creates a token, which is valid until it is revoked', async ({
  page,
  context,
  product,
}) => {
  await context.grantPermissions(['clipboard-read', 'clipboard-write']);
  await openDashboard(page, 'tokens@souk.test');
  await test.step('without a name or without a scope no token is created, and the form says why', async () => {
    await createButton(page).click();
    const form = page.getByRole('dialog', { name: 'Create an access token', exact: true });
    const name = form.getByLabel('Name');
    await form.getByRole('button', { name: 'Create token', exact: true }).click();
    await expect(form.getByText('Give the token a name.')).toBeVisible();
    await expect(name).toBeFocused();
    await name.fill('x'.repeat(81));
    await form.getByRole('button', { name: 'Create token', exact: true }).click();
    await expect(form.getByText('At most 80 characters: this has 81.')).toBeVisible();
    await name.fill('A script');
    for (const scope of ['Tools', 'Prompts', 'Resources'])
      await form.getByRole('checkbox', { name: scope, exact: true }).uncheck();
    await form.getByRole('button', { name: 'Create token', exact: true }).click();
    await expect(form.getByText('Choose at least one.')).toBeVisible();
    await page.keyboard.press('Escape');
    await expect(form).toHaveCount(0);
    await expect(page.getByRole('heading', { name: 'No access tokens', exact: true })).toBeVisible();
  });
  await test.step('[PAT-5] it is created, copied, shown once, opens the link, and is refused after it is revoked', async () => {
    await createButton(page).click();
    const form = page.getByRole('dialog', { name: 'Create an access token', exact: true });
    await form.getByLabel('Name').fill('Build server');
    await form.getByRole('checkbox', { name: 'Prompts', exact: true }).uncheck();
    await form.getByLabel('Expiry').selectOption('30 days');
    await form.getByRole('button', { name: 'Create token', exact: true }).click();

    const shown = page.getByRole('alertdialog', { name: 'Token “Build server” is ready', exact: true });
    const secret = shown.getByLabel('Access token', { exact: true });
    await expect(secret).toHaveValue(/^souk_pat_/);
    const token = await secret.inputValue();
    await expect(shown).toContainText("You won't be able to see it again.");
    await expect(shown.getByRole('button', { name: 'Close', exact: true })).toHaveCount(0);
    await page.keyboard.press('Escape');
    await expect(secret, 'only Done closes it').toHaveValue(token);
    await shown.getByRole('button', { name: 'Copy Access token', exact: true }).click();
    await expect(shown.getByRole('status').filter({ hasText: 'Copied to the clipboard' })).toBeAttached();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(token);
    expect(await statusOfCall(product.publicUrl, token)).toBe(200);

    await shown.getByRole('button', { name: 'Done', exact: true }).click();
    await expect(shown).toHaveCount(0);
    const row = page.getByRole('row', { name: /Build server/ });
    await expect(row).toContainText('in 30 days');
    await expect(row).toContainText('Tools');
    await expect(row).not.toContainText('Prompts');
    await expect(page.getByText(/^1 active/)).toBeVisible();
    expect(await page.content()).not.toContain(token);
    const kept = await page.evaluate(() => JSON.stringify([{ ...localStorage }, { ...sessionStorage }]));
    expect(kept).not.toContain(token);
    await page.reload();
    await expect(row).toBeVisible();
    expect(await page.content(), 'it cannot be looked up later').not.toContain(token);

    await row.getByRole('button', { name: 'Revoke Build server', exact: true }).click();
    const question = page.getByRole('alertdialog', { name: 'Revoke “Build server”?', exact: true });
    await expect(question).toContainText('This action cannot be undone.');
    await question.getByRole('button', { name: 'Cancel', exact: true }).click();
    await expect(question).toHaveCount(0);
    expect(await statusOfCall(product.publicUrl, token), 'asked, and not confirmed').toBe(200);

    await row.getByRole('button', { name: 'Revoke Build server', exact: true }).click();
    await question.getByRole('button', { name: 'Revoke token', exact: true }).click();
    await expect(page.getByRole('heading', { name: 'No access tokens', exact: true })).toBeVisible();
    await expect(page.getByText('Token “Build server” is revoked.')).toBeAttached();
    expect(await statusOfCall(product.publicUrl, token)).toBe(401);
  });
});

/** Returns the status of a tools/list on the link to all services. */
async function statusOfCall(publicUrl: string, token: string): Promise<number> {
  const answer = await fetch(`${publicUrl}/mcp`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${token}`,
      'content-type': 'application/json',
      accept: 'application/json, text/event-stream',
    },
    body: JSON.stringify({
      jsonrpc: '2.0',
      id: 1,
      method: 'initialize',
      params: { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } },
    }),
  });
  await answer.body?.cancel();
  return answer.status;
}

test('[ERR-5] failures to fetch, to count, to create and to revoke are shown verbatim, and can be retried', async ({
  page,
}) => {
  const text = 'The token store rests.';
  await openSignedIn(page, '/', 'failing@souk.test');

  const healList = await failCalls(page, '**/auth/pat/list', { message: text });
  await page.goto('/dashboard?tab=tokens');
  await expect(page.getByRole('alert').filter({ hasText: 'Failed to fetch PATs' })).toContainText(text);
  await healList();
  const healStats = await failCalls(page, '**/auth/pat/stats', { message: 'Failed to fetch PAT stats' });
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  const stats = page.getByRole('alert').filter({ hasText: 'Failed to fetch PAT stats' });
  await expect(stats).toBeVisible();
  await healStats();
  await stats.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(stats).toHaveCount(0);

  const healCreate = await failCalls(page, '**/auth/pat/create', { message: text });
  await createButton(page).click();
  const form = page.getByRole('dialog', { name: 'Create an access token', exact: true });
  await form.getByLabel('Name').fill('Second try');
  await form.getByRole('button', { name: 'Create token', exact: true }).click();
  await expect(form.getByRole('alert')).toContainText(`Failed to create PAT: ${text}`);
  await expect(form.getByLabel('Name'), 'the typed text stays').toHaveValue('Second try');
  await healCreate();
  await form.getByRole('button', { name: 'Create token', exact: true }).click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Done', exact: true }).click();

  const healRevoke = await failCalls(page, '**/auth/pat/*', { message: text });
  await page.getByRole('button', { name: 'Revoke Second try', exact: true }).click();
  const question = page.getByRole('alertdialog', { name: 'Revoke “Second try”?', exact: true });
  await question.getByRole('button', { name: 'Revoke token', exact: true }).click();
  await expect(question.getByRole('alert')).toContainText(`Failed to revoke PAT: ${text}`);
  await healRevoke();
  await question.getByRole('button', { name: 'Revoke token', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'No access tokens', exact: true })).toBeVisible();

  const release = await holdCalls(page, '**/auth/pat/list');
  await page.reload();
  await expect(page.getByRole('status').filter({ hasText: 'Loading your access tokens…' })).toBeVisible();
  release();
  await expect(page.getByRole('heading', { name: 'No access tokens', exact: true })).toBeVisible();
});

test('[DASH-2] without a signed-in user the dashboard shows Redirecting... and opens the home screen', async ({
  page,
  product,
}) => {
  await page.addInitScript(`
    globalThis.seen = false;
    new MutationObserver(() => {
      if (document.querySelector('main')?.textContent.includes('Redirecting...')) globalThis.seen = true;
    }).observe(document, { childList: true, subtree: true, characterData: true });
  `);
  await page.goto('/dashboard');
  await expect(page).toHaveURL(`${product.publicUrl}/`);
  await expect(page.getByRole('button', { name: 'Sign In', exact: true })).toBeVisible();
  expect(await page.evaluate('globalThis.seen')).toBe(true);
});

test('the page of the API is linked from the tokens, and its example works with one of them', async ({
  page,
  product,
}) => {
  await openDashboard(page, 'api@souk.test');
  await createButton(page).click();
  const form = page.getByRole('dialog', { name: 'Create an access token', exact: true });
  await form.getByLabel('Name').fill('Examples');
  await form.getByRole('button', { name: 'Create token', exact: true }).click();
  const shown = page.getByRole('alertdialog', { name: 'Token “Examples” is ready', exact: true });
  const token = await shown.getByLabel('Access token', { exact: true }).inputValue();
  await shown.getByRole('button', { name: 'Done', exact: true }).click();

  const opens = page.waitForEvent('popup');
  await page.getByRole('link', { name: 'API reference (opens a new tab)', exact: true }).click();
  const api = await opens;
  await expect(api.getByRole('heading', { level: 1, name: 'Souk API', exact: true })).toBeVisible();
  const call = api.locator('#getUserProfile');
  const example = call.locator('pre');
  await expect(example).toBeHidden();
  await call.locator('summary').focus();
  await api.keyboard.press('Enter');
  await expect(example).toBeVisible();
  await expectNoAxeFindings(api);
  const [, address = '', name = '', value = ''] =
    /^curl '([^']+)' \\\n {2}-H '([^:']+): ([^']+)'$/.exec(await example.innerText()) ?? [];
  expect(new URL(address).origin).toBe(product.publicUrl);
  const answer = await fetch(address, { headers: { [name]: value.replace('TOKEN', token) } });
  expect(await answer.json()).toMatchObject({ email: 'api@souk.test' });
});
