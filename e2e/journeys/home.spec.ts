import { cataloguePath, changeCatalogue, failCalls, holdCalls, withServer } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { openSignedIn } from './sign-in.ts';

/** In the order of the bundled manifests, not by name. */
const firstSix = ['Travel', 'Notes', 'Calendar', 'Filesystem', 'Memory', 'Travel Pro'];

test('the home screen explains the product, shows the first servers, and answers the first questions', async ({
  page,
  product,
  request,
}) => {
  await page.goto('/');
  const main = page.getByRole('main');
  const footer = page.getByRole('contentinfo');
  await test.step('[GEN-1] [GEN-2] [GEN-3] [GEN-10] the hero says one-click AI upgrade, paste a link, no keys, no secrets, no configuration', async () => {
    await expect(main.getByRole('heading', { level: 1 })).toHaveText('One-click AI upgrade');
    await expect(
      main.getByText(
        /Paste one link into Claude, ChatGPT or any other AI client, and every tool here is ready to use\./,
      ),
    ).toBeVisible();
    await expect(main.getByText('No API keys, no secrets, no configuration.', { exact: true })).toBeVisible();
    await expect(main.getByLabel('The link', { exact: true })).toHaveValue(`${product.publicUrl}/mcp`);
  });
  await test.step('[HOME-5] [HOME-8] the first 6 servers are cards with name, tool and prompt counts, and description', async () => {
    const cards = main.getByRole('article');
    await expect(cards).toHaveCount(6);
    await expect(cards.getByRole('heading', { level: 3 })).toHaveText(firstSix);
    const [travel, filesystem] = [cards.nth(0), cards.nth(3)];
    await expect(travel).toContainText('7 tools · 1 prompt');
    await expect(travel).toContainText('Airports, distances, flight times and local times');
    await expect(filesystem).toContainText('14 tools · 0 prompts');
  });
  await test.step('[HOME-12] Platform Features names Instant Setup, Enterprise Security and Growing Community', async () => {
    const features = main.locator('section', {
      has: page.getByRole('heading', { level: 2, name: 'Platform Features', exact: true }),
    });
    await expect(features.getByRole('heading', { level: 3 })).toHaveText([
      'Instant Setup',
      'Enterprise Security',
      'Growing Community',
    ]);
  });
  await test.step('[HOME-13] [HOME-14] the FAQ has 4 questions, and opening one closes the other', async () => {
    const faq = page.locator('section', {
      has: page.getByRole('heading', { name: 'Frequently Asked Questions', exact: true }),
    });
    const questions = faq.getByRole('button');
    await expect(questions).toHaveCount(4);
    await questions.nth(0).click();
    await expect(questions.nth(0)).toHaveAttribute('aria-expanded', 'true');
    await expect(faq.getByText(/A service that gives an AI assistant tools/)).toBeVisible();
    await questions.nth(3).click();
    await expect(questions.nth(3)).toHaveAttribute('aria-expanded', 'true');
    await expect(questions.nth(0)).toHaveAttribute('aria-expanded', 'false');
    await expect(faq.getByText(/A service that gives an AI assistant tools/)).toBeHidden();
    await expect(faq.getByText(/Free services have no monthly price/)).toBeVisible();
    await questions.nth(3).click();
    await expect(faq.getByText(/Free services have no monthly price/)).toBeHidden();
  });
  await test.step('[HOME-17] [HOME-19] [HOME-20] signed out, the footer counts deployed servers and their tools, prompts and resources', async () => {
    const capabilities = await (await request.get('/mcp/capabilities')).json();
    const connected = capabilities.servers.filter(({ status }: { status: string }) => status === 'connected').length;
    // the line counts every tool, prompt and resource
    const counts = capabilities.servers.map((server: { capabilities: Record<string, number> }) => server.capabilities);
    const total = counts.reduce(
      (sum: number, { tools, prompts, resources }: Record<string, number>) =>
        sum + (tools ?? 0) + (prompts ?? 0) + (resources ?? 0),
      0,
    );
    await expect(footer).toContainText(
      `${capabilities.servers.length} servers · ${total} capabilities · ${connected} active`,
    );
  });
  await test.step('[HOME-15] [HOME-16] the footer has quick links, and the support and business email addresses', async () => {
    for (const address of ['support@souk.test', 'business@souk.test']) {
      await expect(footer.getByRole('link', { name: address, exact: true })).toHaveAttribute(
        'href',
        `mailto:${address}`,
      );
    }
    await footer
      .getByRole('navigation', { name: 'Quick links', exact: true })
      .getByRole('link', { name: 'Marketplace', exact: true })
      .click();
    await expect(page).toHaveURL(/\/marketplace$/);
  });
  await test.step('[HOME-18] signed in, the footer has no stats line', async () => {
    await openSignedIn(page, '/', 'footer@souk.test');
    await expect(footer.getByRole('link', { name: 'support@souk.test', exact: true })).toBeVisible();
    await expect(footer).not.toContainText(/\d+ active/);
    await expect(footer).not.toContainText('capabilities');
  });
});

test('the home screen links to all servers, to a search, to a category and to one server', async ({ page }) => {
  await test.step('[HOME-1] Browse Servers leads to the marketplace', async () => {
    await page.goto('/');
    await page.getByRole('link', { name: 'Browse Servers', exact: true }).click();
    await expect(page).toHaveURL(/\/marketplace$/);
    await expect(page.getByRole('heading', { level: 1, name: 'All MCP Servers', exact: true })).toBeVisible();
  });
  await test.step('[HOME-11] View All Servers leads to the marketplace', async () => {
    await page.goBack();
    await page.getByRole('link', { name: 'View All Servers', exact: true }).click();
    await expect(page).toHaveURL(/\/marketplace$/);
  });
  await test.step('[HOME-9] View Details leads to the page of the server', async () => {
    await page.goBack();
    await page.getByRole('link', { name: /^View Details\s*: Memory$/ }).click();
    await expect(page).toHaveURL(/\/service\/memory$/);
    await expect(page.getByRole('heading', { level: 1, name: 'Memory', exact: true })).toBeVisible();
  });
  await test.step('each category shows its first servers and their count, and leads to all of them', async () => {
    await page.goBack();
    const categories = page.getByRole('region', { name: 'Categories', exact: true });
    await expect(categories.getByRole('heading', { level: 3 })).toHaveText([
      'API Services',
      'Data Sources',
      'Productivity',
    ]);
    const data = categories
      .getByRole('listitem')
      .filter({ has: page.getByRole('heading', { name: 'Data Sources', exact: true }) });
    await expect(data.getByText('4 servers')).toBeVisible();
    await expect(data.getByRole('link')).toHaveText(['Travel', 'Memory', 'Travel Pro', 'View all Data Sources']);
    await data.getByRole('link', { name: 'View all Data Sources', exact: true }).click();
    await expect(page).toHaveURL(/\/marketplace\?type=data$/);
    await expect(page.getByText('Showing 4 of 9 servers')).toBeVisible();
    await page.goBack();
    await data.getByRole('link', { name: 'Travel Pro', exact: true }).click();
    await expect(page).toHaveURL(/\/service\/travel-pro$/);
  });
  await test.step('[HOME-2] [HOME-3] [HOME-4] the Search & Filter box opens the marketplace with text and type in the address', async () => {
    await page.goBack();
    const box = page.getByRole('search', { name: 'Search & Filter', exact: true });
    const type = box.getByLabel('Type');
    await expect(type.getByRole('option')).toHaveText(['All Types', 'API Services', 'Data Sources', 'Productivity']);
    await box.getByRole('searchbox').fill('your own');
    await type.selectOption('Productivity');
    await box.getByRole('button', { name: 'Search', exact: true }).click();
    await expect(page).toHaveURL((url) => url.pathname === '/marketplace');
    const { searchParams } = new URL(page.url());
    expect(searchParams.get('q')).toBe('your own');
    expect(searchParams.get('type')).toBe('productivity');
    await expect(page.getByRole('searchbox')).toHaveValue('your own');
    await expect(page.getByLabel('Type')).toHaveValue('productivity');
    await expect(page.getByText('Showing 1 of 9 servers')).toBeVisible();
  });
});

test('[HOME-6] [HOME-7] [HOME-21] a card shows the icon of its server, or the first letter of its name; the footer counts the connected servers', async ({
  page,
}) => {
  await changeCatalogue(page, (catalogue) =>
    withServer(catalogue, 'notes', (server) => ({ ...server, metadata: { ...server.metadata, icon: undefined } })),
  );
  await routeNow(page, '**/mcp/health', async (route) => {
    const answer = await route.fetch();
    await route.fulfill({ response: answer, json: { ...(await answer.json()), connections: { connected: 4 } } });
  });
  await page.goto('/');
  const card = (name: string) =>
    page.getByRole('article').filter({ has: page.getByRole('heading', { name, exact: true }) });
  const icon = card('Memory').locator('img');
  await icon.scrollIntoViewIfNeeded();
  await expect(icon).toHaveAttribute('src', '/icons/bundled/memory.svg');
  await expect.poll(() => icon.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(0);
  await expect(card('Notes').locator('img')).toHaveCount(0);
  await expect(card('Notes').getByText('N', { exact: true })).toBeVisible();
  await expect(page.getByRole('contentinfo')).toContainText(/^[^]*9 servers · \d+ capabilities · 4 active/);
});

test('[HOME-10] while servers load, 6 placeholder cards are shown; a failed load is reported, and Retry loads them', async ({
  page,
}) => {
  const release = await holdCalls(page, cataloguePath);
  await page.goto('/');
  const placeholders = page.getByTestId('server-placeholders');
  await expect(placeholders).toBeVisible();
  await expect(placeholders.locator('> *')).toHaveCount(6);
  await expect(page.getByRole('status').filter({ hasText: 'Loading servers…' })).toBeVisible();
  release();
  await expect(page.getByRole('article')).toHaveCount(6);
  await expect(placeholders).toHaveCount(0);

  await page.unroute(cataloguePath);
  const heal = await failCalls(page, cataloguePath, { message: 'The stall is closed.' });
  await page.reload();
  const alert = page.getByRole('alert').filter({ hasText: 'Failed to load MCP servers' });
  await expect(alert).toContainText('The stall is closed.');
  await heal();
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(page.getByRole('article')).toHaveCount(6);
});
