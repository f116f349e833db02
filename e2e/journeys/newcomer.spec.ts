import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client';
import { payAndReturn } from './pay-with-card.ts';
import { expect, test } from './product-test.ts';
import { chooseAccount } from './sign-in.ts';

/** Two minutes are promised, most of which a person needs to read. The steps alone take 8 s. */
test.setTimeout(120_000);

test('a newcomer finds Travel Pro, signs in, rents it, makes a token, and calls it from an MCP client', async ({
  page,
}) => {
  await page.goto('/');
  await page
    .getByRole('navigation', { name: 'Main', exact: true })
    .getByRole('link', { name: 'Marketplace', exact: true })
    .click();
  await page.getByRole('link', { name: /^View Details\s*: Travel Pro$/ }).click();
  await page.getByRole('button', { name: 'Purchase', exact: true }).click();
  await chooseAccount(page, 'newcomer@souk.test');
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

  await page.goto('/service/travel-pro');
  await expect(page.getByText('The first call has arrived')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Your rental', exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: 'Purchase', exact: true })).toHaveCount(0);
  await expect(page.getByRole('main')).not.toContainText('$9');
  await page
    .getByRole('navigation', { name: 'Main', exact: true })
    .getByRole('link', { name: 'Marketplace', exact: true })
    .click();
  await expect(page.getByText('Your rental')).toHaveCount(1);
  await expect(page.getByRole('link', { name: 'Purchase Travel Pro', exact: true })).toHaveCount(0);
});
