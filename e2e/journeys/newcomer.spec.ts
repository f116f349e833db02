import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { payAndReturn } from './pay-with-card.ts';
import { expect, test } from './product-test.ts';
import { chooseAccount, openSignedIn } from './sign-in.ts';

/** The promise is two minutes, most of which a user needs for reading. The steps alone take 8 s. */

/** The same setting as in the demo. Other journeys count from zero what users have. */
test.use({ welcomes: true });

test('a newcomer finds Travel Pro, signs in, rents it, creates a token, and calls it from an MCP client', async ({
  page,
}) => {
  const welcome = page.getByText(
    'A new account is given 20 credits to try paid tools with, once for each e-mail address.',
    { exact: true },
  );
  await page.goto('/');
  await expect(welcome).toBeVisible();
  await page
    .getByRole('navigation', { name: 'Main', exact: true })
    .getByRole('link', { name: 'Marketplace', exact: true })
    .click();
  await expect(welcome).toBeVisible();
  await page.getByRole('link', { name: /^View Details\s*: Travel Pro$/ }).click();
  await page.getByRole('button', { name: 'Purchase', exact: true }).click();
  await expect(welcome, 'on the sign-in page').toBeVisible();
  for (const [name, path] of [
    ['Terms', '/terms'],
    ['Privacy', '/privacy'],
    ['Refunds', '/refunds'],
  ] as const) {
    await expect(page.getByRole('link', { name, exact: true })).toHaveAttribute('href', path);
  }
  await chooseAccount(page, 'newcomer@souk.test');
  await expect(page.getByRole('dialog')).toContainText('You have 20 credits.');
  await page.getByRole('button', { name: 'Continue to payment', exact: true }).click();
  await payAndReturn(page);
  await page.getByRole('link', { name: 'Start Using Service', exact: true }).click();
  const link = await page.getByLabel("Travel Pro's link", { exact: true }).inputValue();
  await page.getByRole('link', { name: 'Create an access token', exact: true }).click();
  await page.getByRole('button', { name: 'Create token', exact: true }).click();
  const form = page.getByRole('dialog', { name: 'Create an access token', exact: true });
  await form.getByLabel('Name').fill('Laptop');
  await form.getByRole('button', { name: 'Create token', exact: true }).click();
  const token = await page.getByLabel('Access token', { exact: true }).inputValue();

  const client = new Client({ name: 'newcomer', version: '1.0.0' });
  const headers = { authorization: `Bearer ${token}` };
  await client.connect(new StreamableHTTPClientTransport(new URL(link), { requestInit: { headers } }));
  const routes = [
    ['ZRH', 'JFK'],
    ['ZRH', 'LHR', 'JFK'],
  ];
  const { content } = await client.callTool({ name: 'compare_routes', arguments: { routes } });
  await client.close();
  expect(JSON.stringify(content)).toContain('JFK');

  await page.goto('/dashboard?tab=billing');
  // a charge is written with others shortly after its call
  await expect(page.getByRole('region', { name: 'Tier and credits', exact: true })).toContainText(
    /You have (20|17) welcome credits\./,
  );
  await expect(page.getByRole('row', { name: /^Welcome credits: 20/ })).toContainText('$0');
  const credits = page.getByRole('region', { name: 'Credits', exact: true });
  await expect(credits.getByRole('term').filter({ hasText: /^Welcome credits never expire$/ })).toHaveCount(1);
  await page.goto('/service/travel-pro');
  await expect(page.getByText('The first call has arrived')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Your rental', exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Purchase', exact: true })).toHaveCount(0);
  const main = page.getByRole('main');
  await expect(main).toContainText(/Rented - active · renews [A-Z][a-z]{2} \d{1,2}, \d{4} for \$9/);
  expect((await main.innerText()).split('$9'), 'it is not offered again').toHaveLength(2);
  await page
    .getByRole('navigation', { name: 'Main', exact: true })
    .getByRole('link', { name: 'Marketplace', exact: true })
    .click();
  await expect(page.getByText('Your rental')).toHaveCount(1);
  await expect(page.getByRole('link', { name: 'Purchase Travel Pro', exact: true })).toHaveCount(0);
});

test('Billing says that welcome credits are granted once, after an account was deleted and created again', async ({
  page,
}) => {
  const email = 'comes-back@souk.test';
  const credits = page.getByRole('region', { name: 'Credits', exact: true });
  const once = 'Each e-mail address gets welcome credits once: a new account after a deleted one has none.';
  await openSignedIn(page, '/dashboard?tab=billing', email);
  await expect(credits).toContainText('Welcome credits never expire20');
  await expect(credits).not.toContainText(once);
  const deleted = await page.evaluate(async (confirm) => {
    const stored = (key: string) => JSON.parse(localStorage.getItem(key) ?? '{}');
    const answer = await fetch(`/api/users/${stored('souk.user').id}/account`, {
      method: 'DELETE',
      headers: { authorization: `Bearer ${stored('souk.tokens').accessToken}`, 'content-type': 'application/json' },
      body: JSON.stringify({ confirm }),
    });
    localStorage.clear();
    return answer.status;
  }, email);
  expect(deleted).toBe(200);
  await openSignedIn(page, '/dashboard?tab=billing', email);
  await expect(credits).toContainText(once);
});
