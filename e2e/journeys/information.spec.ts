import type { Page } from '@playwright/test';
import { openScreen } from './open-screen.ts';
import { failCalls } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';

const heading = (page: Page, name: string, level = 1) => page.getByRole('heading', { level, name, exact: true });
const main = (page: Page) => page.getByRole('main');

test('/about says what the product promises, how it works and why it exists, and links to servers and contacts', async ({
  page,
  product,
}) => {
  await page.goto('/about');
  await test.step('[INFO-1] [INFO-2] [INFO-4] [GEN-15] it has its heading, the three pillars, and the vision', async () => {
    await expect(heading(page, 'Instant MCP Tools for Everyone')).toBeVisible();
    await expect(page).toHaveTitle('About - Souk');
    const pillars = main(page).getByRole('list').first().getByRole('listitem');
    await expect(pillars.getByRole('heading', { level: 2 })).toHaveText(['No Secrets', 'No Keys', 'No Configuration']);
    await expect(heading(page, 'Our Vision', 2)).toBeVisible();
  });
  await test.step('[INFO-3] How It Works has three steps: open your LLM, add a link, go', async () => {
    const section = page.getByRole('region', { name: 'How It Works', exact: true });
    const steps = section.locator('ol > li');
    await expect(steps.getByRole('heading')).toHaveText(['Open your LLM', 'Add a link', 'Go']);
    await expect(steps.nth(1).getByRole('textbox', { name: 'The link', exact: true })).toHaveValue(
      `${product.publicUrl}/mcp`,
    );
  });
  await test.step('[INFO-5] it links to the marketplace and to the contacts', async () => {
    for (const [name, path, title] of [
      ['Browse Servers', '/marketplace', 'All MCP Servers'],
      ['Contact us', '/contact', 'Contact'],
    ] as const) {
      await main(page).getByRole('link', { name, exact: true }).click();
      await expect(page).toHaveURL(new RegExp(`${path}$`));
      await expect(heading(page, title)).toBeVisible();
      await page.goBack();
    }
  });
});

test('/contact and /support have the addresses, and answer the usual questions', async ({ page }) => {
  await test.step('[INFO-6] [GEN-16] [GEN-17] support, business and everything else have a card each', async () => {
    for (const path of ['/support', '/contact']) {
      await page.goto(path);
      await expect(heading(page, 'Contact')).toBeVisible();
      const cards = main(page).getByRole('list').first().getByRole('listitem');
      await expect(cards.getByRole('heading')).toHaveText(['Support', 'Business', 'General']);
      const addresses = ['support@souk.test', 'business@souk.test', 'hello@souk.test'];
      await expect(cards.getByRole('link')).toHaveText(addresses);
      for (const [place, address] of addresses.entries()) {
        await expect(cards.nth(place).getByRole('link')).toHaveAttribute('href', `mailto:${address}`);
      }
    }
  });
  await test.step('[INFO-7] [INFO-8] [INFO-9] [INFO-10] the answers explain how to get started, pay, cancel and integrate with Claude', async () => {
    for (const [question, answer] of [
      ['How do I get started?', /continue with Google/],
      ['How do I pay?', /^By card/],
      ['Can I cancel?', /any time, from your dashboard/],
      ['How do I integrate with Claude?', /In Claude, .* paste http:\/\/localhost:\d+\/mcp/],
    ] as const) {
      await page.getByRole('button', { name: question, exact: true }).click();
      await expect(page.getByRole('region', { name: question, exact: true })).toHaveText(answer);
    }
  });
  await test.step('[INFO-11] "Contact Support" opens a mail to the support address', async () => {
    const link = main(page).getByRole('link', { name: 'Contact Support', exact: true });
    await expect(link).toHaveAttribute('href', 'mailto:support@souk.test');
  });
});

test('[HDR-2] the header and the footer link to marketplace, about, plans and contact', async ({ page }) => {
  await page.goto('/');
  for (const place of ['Main', 'Quick links']) {
    const links = page.getByRole('navigation', { name: place, exact: true }).getByRole('link');
    const paths = ['/marketplace', '/about', '/plans', '/contact'];
    const shown = () => links.evaluateAll((all) => all.map((link) => link.getAttribute('href')));
    // the footer is below the first HTML's summary until the first screen is rendered
    await expect.poll(shown).toEqual(place === 'Main' ? paths : ['/', ...paths, '/terms', '/privacy', '/refunds']);
  }
  const nav = page.getByRole('navigation', { name: 'Main', exact: true });
  for (const name of ['About', 'Contact']) {
    await nav.getByRole('link', { name, exact: true }).click();
    await expect(nav.getByRole('link', { name, exact: true }), 'marks the current page').toHaveAttribute(
      'aria-current',
      'page',
    );
  }
});

test('the demo has its own terms, privacy and refunds, which say so, and a text that fails to load can be retried', async ({
  page,
}) => {
  await page.goto('/plans');
  // the link is below both lists of offers
  await page.getByRole('main').getByRole('link', { name: 'Refunds', exact: true }).first().click();
  await expect(page).toHaveURL(/\/refunds$/);
  await expect(heading(page, 'Refunds')).toBeVisible();
  await expect(page.getByText('This text belongs to the demo. A real shop has its own.')).toBeVisible();
  await expect(page.getByRole('main')).toContainText('Purchased credits never expire.');
  const heal = await failCalls(page, '**/api/legal/privacy', { message: 'The drawer is locked.' });
  await page
    .getByRole('navigation', { name: 'Quick links', exact: true })
    .getByRole('link', { name: 'Privacy', exact: true })
    .click();
  await expect(page.getByRole('main').getByRole('alert')).toContainText('The drawer is locked.');
  await heal();
  await page.getByRole('button', { name: 'Retry', exact: true }).click();
  await expect(page.getByRole('main')).toContainText('a keyed fingerprint of your address');
});

test('code uses the monospaced font of the product', async ({ page }) => {
  await openScreen(page, '/');
  const code = page.locator('pre code').first();
  await expect(code).toBeVisible();
  expect(await code.evaluate((element) => getComputedStyle(element).fontFamily)).toMatch(/^"Geist Mono"/);
  const loaded = () =>
    page.evaluate(() => [...document.fonts].filter(({ status }) => status === 'loaded').map(({ family }) => family));
  await expect.poll(loaded).toEqual(expect.arrayContaining([expect.stringContaining('Geist Mono')]));
});
