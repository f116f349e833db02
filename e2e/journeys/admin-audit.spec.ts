import { readFile } from 'node:fs/promises';
import type { Page } from '@playwright/test';
import { administrator, administratorCalls, erasePerson, newPerson } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { failCalls } from './catalogue-answer.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { openSignedIn } from './sign-in.ts';

// The tab 'Audit Log': who decided what, when, why and from where.

test.use({ reducedMotion: 'reduce' });

const openAudit = (page: Page, query = '') => openSignedIn(page, `/admin?tab=audit${query}`, administrator);
const rows = (page: Page) => page.getByRole('table', { name: 'Audit log', exact: true }).getByRole('row');
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });

test('the audit log says why it cannot be read, then what happened, is narrowed by filters in the address, and links to what it names', async ({
  page,
  product,
}) => {
  const email = 'audited@souk.test';
  const id = await newPerson(product.publicUrl, email);
  const calls = await administratorCalls(product.publicUrl);
  await calls.setUserCredits({ params: { id }, body: { credits: 12, reason: 'a gift' } });
  await calls.setUserCredits({ params: { id }, body: { credits: 5 } });
  const heal = await failCalls(page, '**/admin/audit*', { message: 'The book is wet.' });
  await openAudit(page);
  const failed = page.getByRole('tabpanel').getByRole('alert');
  await expect(failed).toContainText('Failed to load the audit log');
  await expect(failed).toContainText('The book is wet.');
  await expectNoAxeFindings(page);
  await heal();
  await button(page, 'Retry').click();
  const newest = rows(page).nth(1);
  await expect(newest).toContainText(`Set credits: ${email}`);
  await expect(newest).toContainText(/credits: 12 .* 5/);
  await expect(newest.getByRole('button', { name: administrator, exact: true })).toBeVisible();
  await expect(newest.getByRole('cell', { name: '127.0.0.1', exact: true })).toBeVisible();
  await expect(rows(page).nth(2)).toContainText('Reason: a gift');
  await expectNoAxeFindings(page);

  await page.getByRole('searchbox').fill('audited@');
  await expect(rows(page)).toHaveCount(3);
  await page.getByLabel('Action', { exact: true }).selectOption('Servers');
  await expect(page.getByText('No entries match these filters.')).toBeVisible();
  await page.getByLabel('Action', { exact: true }).selectOption('Access and credits');
  await expect(rows(page)).toHaveCount(3);
  await expect(page).toHaveURL(/group=access.*object=audited/);
  await page.reload();
  await expect(rows(page)).toHaveCount(3);
  await page.getByLabel('From', { exact: true }).fill('2999-01-01');
  await expect(page.getByText('No entries match these filters.')).toBeVisible();
  await expect(page).toHaveURL(/from=2999-01-01/);
  await expectNoAxeFindings(page);
  await page.getByLabel('To', { exact: true }).fill('2998-12-31');
  await expect(failed).toContainText('The first day is later than the last day.');
  await expect(rows(page), 'entries of other filters are not shown next to it').toHaveCount(0);
  await expectNoAxeFindings(page);
  for (const [part, text] of [
    ['group=everything', 'There is no kind of action called "everything".'],
    ['from=2026-13-45', '"2026-13-45" is not a day such as 2026-12-01.'],
  ] as const) {
    await page.goto(`/admin?tab=audit&object=audited%40&${part}`);
    await expect(failed).toContainText(text);
  }
  await page.goto('/admin?tab=audit&object=audited%40&group=access');
  await expect(rows(page)).toHaveCount(3);
  await rows(page).nth(1).getByRole('link', { name: email, exact: true }).click();
  await expect(page.getByRole('dialog')).toContainText(email);
  await page.goBack();
  await button(page, 'Clear').click();
  await expect(page).toHaveURL(/\/admin\?tab=audit$/);

  // only one actor, by a click on the name
  await rows(page).nth(1).getByRole('button', { name: administrator, exact: true }).click();
  await expect(page.getByLabel('Who', { exact: true }).locator('option:checked')).toHaveText(administrator);
  await page.getByLabel('Who', { exact: true }).selectOption('Souk');
  await expect(rows(page).nth(1)).toContainText('Deployed a server');
  await rows(page)
    .filter({ hasText: 'travel-pro' })
    .getByRole('link', { name: 'travel-pro', exact: true })
    .first()
    .click();
  await expect(page).toHaveURL(/tab=manifests&id=travel-pro/);
  await erasePerson(product.publicUrl, id, email);
});

test('filtered rows are saved as a file, with the token in a header and in no address', async ({ page }) => {
  const asked: { url: string; authorization: string | undefined; cookie: string | undefined }[] = [];
  page.on('request', (request) => {
    if (!/\/admin\/audit\./.test(request.url())) return;
    const { authorization, cookie } = request.headers();
    asked.push({ url: request.url(), authorization, cookie });
  });
  await openAudit(page, '&who=broker&group=servers');
  await expect(rows(page).nth(1)).toContainText('Deployed a server');
  for (const [name, file] of [
    ['CSV', 'souk-audit.csv'],
    ['JSON lines', 'souk-audit.jsonl'],
  ] as const) {
    const downloaded = page.waitForEvent('download');
    await button(page, name).click();
    const download = await downloaded;
    expect(download.suggestedFilename()).toBe(file);
    const text = await readFile(await download.path(), 'utf8');
    expect(text).toContain('manifest.deployed');
    expect(text).not.toContain('credits.set');
  }
  expect(asked.map(({ url }) => new URL(url).search)).toEqual([
    '?who=broker&group=servers',
    '?who=broker&group=servers',
  ]);
  for (const { authorization, cookie } of asked) {
    expect(authorization).toMatch(/^Bearer ey/);
    expect(cookie).toBeUndefined();
  }
  await page.goto('/admin?tab=audit');
  await expect(rows(page).nth(1)).toContainText('Exported the audit log');
  await expect(rows(page).nth(1)).toContainText('format: JSON lines');
});

test('older and newer pages are steps that Back returns from, by keyboard and on a phone', async ({ page }) => {
  await routeNow(page, '**/admin/audit?*', (route) => {
    const url = new URL(route.request().url());
    url.searchParams.set('limit', '3');
    return route.continue({ url: url.href });
  });
  await page.setViewportSize({ width: 390, height: 844 });
  await openAudit(page, '&who=broker&group=servers');
  await expect(rows(page)).toHaveCount(4);
  await expect(rows(page).nth(1).getByRole('button', { name: 'Souk', exact: true })).toBeVisible();
  const texts = () => rows(page).allTextContents();
  const newest = await texts();
  await expect(page.getByRole('button', { name: 'Newer', exact: true })).toBeDisabled();
  await button(page, 'Older').focus();
  await page.keyboard.press('Enter');
  await expect(page).toHaveURL(/cursor=/);
  await expect.poll(texts).not.toEqual(newest);
  const second = await texts();
  await button(page, 'Older').click();
  await expect.poll(texts).not.toEqual(second);
  await button(page, 'Newer').click();
  await expect(page).toHaveURL(/side=newer/);
  await expect.poll(texts).toEqual(second);
  await page.goBack();
  await page.goBack();
  await expect.poll(texts).toEqual(second);
  await button(page, 'Newest').click();
  await expect.poll(texts).toEqual(newest);
  expect(await page.evaluate(() => document.documentElement.scrollWidth)).toBe(390);
  await expectNoAxeFindings(page);
});
