import type { Page } from '@playwright/test';
import { administrator, administratorCalls, deleteServers } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { button, manifest, openManifests, panelOf, paste, rowOf, written } from './manifests-page.ts';
import { expect, test } from './product-test.ts';

// Uploaded manifests are deployed, and deleted again: what the dialogs say before, and what applies afterwards.

test.use({ reducedMotion: 'reduce' });
// other files expect the tools of the demo's services
test.afterEach(({ product }) => deleteServers(product.publicUrl, ['atlas', 'by-phone', 'misspelled', 'wreck']));

/** Returns calls that change something, as they are sent. */
function writesOf(page: Page): string[] {
  const writes: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() !== 'GET' && pathname.startsWith('/admin/')) writes.push(`${request.method()} ${pathname}`);
  });
  return writes;
}

test('[ADM-13] an upload is reported as staged, is deployed after its dialog said what that does, and is in the shop', async ({
  page,
}) => {
  const writes = writesOf(page);
  await openManifests(page);
  await expect(rowOf(page, 'Travel')).toBeVisible();
  await paste(page, written());
  await button(page, 'Upload Manifest').click();
  await expect(panelOf(page).getByRole('status')).toContainText('atlas 1.0.0 is staged.');
  await expect(page.getByRole('tab', { name: 'Broker Manifests 1 waiting', exact: true })).toBeVisible();
  await expect(button(page, 'Deploy All from Staging 1 staged')).toBeEnabled();
  await button(page, 'Deploy now').click();
  const first = page.getByRole('alertdialog', { name: 'Deploy Atlas 1.0.0?', exact: true });
  await expect(first).toContainText('1.0.0 will be added to the shop. No version is deployed yet.');
  expect(writes, 'nothing before the confirmation').toEqual(['POST /admin/manifests']);
  await expectNoAxeFindings(page);
  const sent = page.waitForRequest('**/admin/manifests/atlas/deploy');
  await first.getByLabel('Reason').fill('Asked for by sales');
  await first.getByRole('button', { name: 'Deploy 1.0.0', exact: true }).click();
  expect((await sent).postDataJSON(), 'it names its version').toEqual({
    version: '1.0.0',
    reason: 'Asked for by sales',
  });
  expect((await sent).headers()['if-match'], 'and the revision that was shown').toMatch(/^".+"$/);
  await expect(first).toHaveCount(0);
  await expect(rowOf(page, 'Atlas')).toContainText('Active');
  await expect(panelOf(page).getByRole('status')).toContainText('atlas 1.0.0 is deployed.');
  await expect(button(page, 'Deploy now')).toHaveCount(0);

  await paste(page, written({ version: '1.1.0', name: 'Atlas of today' }));
  await button(page, 'Upload Manifest').click();
  await expect(rowOf(page, 'Atlas')).toContainText('1.1.0 staged');
  await rowOf(page, 'Atlas').getByRole('button', { name: 'Deploy Atlas 1.1.0', exact: true }).click();
  const second = page.getByRole('alertdialog', { name: 'Deploy Atlas 1.1.0?', exact: true });
  await expect(second).toContainText('1.1.0 replaces 1.0.0.');
  await expect(second.getByRole('listitem').filter({ hasText: 'Atlas of today' })).toBeVisible();

  // another administrator stages another version meanwhile
  const other = await page.request.post('/admin/manifests', {
    headers: { authorization: (await sent).headers()['authorization'] ?? '' },
    data: manifest({ version: '1.2.0', name: 'Atlas of tomorrow' }),
  });
  expect(other.status()).toBe(200);
  await second.getByRole('button', { name: 'Deploy 1.1.0', exact: true }).click();
  const moved = second.getByRole('alert');
  await expect(moved).toContainText('Nothing has been done.');
  await expect(moved.getByRole('row', { name: 'Staged 1.1.0 1.2.0', exact: true })).toBeVisible();
  await expect(moved).toContainText(`Changed by ${administrator}`);
  await expectNoAxeFindings(page);
  await moved.getByRole('button', { name: 'Look again', exact: true }).click();
  const third = page.getByRole('alertdialog', { name: 'Deploy Atlas 1.2.0?', exact: true });
  await third.getByRole('button', { name: 'Deploy 1.2.0', exact: true }).click();
  await expect(rowOf(page, 'Atlas of tomorrow')).toContainText('1.2.0');
  await expect(panelOf(page)).toContainText('atlas 1.1.0 is not staged any more.');
  await page.goto('/service/atlas');
  await expect(page.getByRole('heading', { level: 1, name: 'Atlas of tomorrow', exact: true })).toBeVisible();

  // by keyboard only
  await page.goto('/admin?q=atlas');
  const remove = rowOf(page, 'Atlas of tomorrow').getByRole('button', {
    name: 'Delete Atlas of tomorrow',
    exact: true,
  });
  await expect(remove).toBeVisible();
  await remove.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('alertdialog', { name: 'Delete Atlas of tomorrow?', exact: true });
  await expect(dialog).toContainText('The server stops immediately for everyone who uses it');
  await dialog.getByLabel('Type atlas to confirm').focus();
  await page.keyboard.type('atlantis');
  await page.keyboard.press('Enter');
  await expect(dialog.getByText("Type atlas, the server's id.")).toBeVisible();
  expect(writes.filter((write) => write.startsWith('DELETE'))).toEqual([]);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('atlas');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'No manifests match your filters.', exact: true })).toBeVisible();
  expect(writes.filter((write) => write.startsWith('DELETE'))).toEqual(['DELETE /admin/manifests/atlas']);
});

test('on a phone the manifests are cards, and one is read and deployed there', async ({ page }) => {
  await page.setViewportSize({ width: 390, height: 844 });
  await openManifests(page);
  const card = (name: string) =>
    page.getByRole('listitem').filter({ has: page.getByRole('link', { name, exact: true }) });
  await expect(card('Travel')).toContainText('service:travel');
  for (const width of [390, 320]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth'), `at ${width}`).toBe(width);
  }
  await expectNoAxeFindings(page);
  await paste(page, written({ id: 'by-phone', name: 'By Phone' }));
  await button(page, 'Upload Manifest').click();
  await card('By Phone').getByRole('button', { name: 'Deploy By Phone 1.0.0', exact: true }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Deploy By Phone 1.0.0?', exact: true });
  await dialog.getByRole('button', { name: 'Deploy 1.0.0', exact: true }).click();
  await expect(card('By Phone')).toContainText('Active');
  await card('By Phone').getByRole('button', { name: 'Delete By Phone', exact: true }).click();
  const remove = page.getByRole('alertdialog', { name: 'Delete By Phone?', exact: true });
  await remove.getByLabel('Type by-phone to confirm').fill('by-phone');
  await remove.getByRole('button', { name: 'Delete by-phone', exact: true }).click();
  await expect(card('By Phone')).toHaveCount(0);
});

test('a deployment says if the server has no such tool or does not respond; a version that never responded is not offered for a rollback', async ({
  page,
  product,
}) => {
  await openManifests(page);
  // a price of a misspelled tool is recognized once the server was queried
  const misspelled = { id: 'misspelled', name: 'Misspelled', billing: { tier: 'T0', toolCosts: { serch: 2 } } };
  await paste(page, written(misspelled));
  await button(page, 'Upload Manifest').click();
  await button(page, 'Deploy now').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Deploy 1.0.0', exact: true }).click();
  const live = page.getByRole('alertdialog', { name: 'Misspelled 1.0.0 is deployed', exact: true });
  await expect(live.getByRole('listitem')).toHaveText('“serch” has a price, and the server does not offer it.');
  await live.getByRole('button', { name: 'Close', exact: true }).last().click();

  const wreck = {
    id: 'wreck',
    name: 'Wreck',
    billing: { tier: 'T2', rental: { price: 900 } },
    connection: { type: 'http', url: 'service:travel/nowhere' },
  };
  const calls = await administratorCalls(product.publicUrl);
  const cheaper = { tier: 'T2', rental: { price: 800 } };
  await calls.createManifest({ query: {}, body: written({ ...wreck, billing: cheaper }) });
  await calls.deployManifest({ params: { id: 'wreck' }, body: {} });
  await paste(page, written({ ...wreck, version: '1.1.0' }));
  await button(page, 'Upload Manifest').click();
  await expect(panelOf(page).getByRole('status')).toContainText(
    /Its rental is product souk_rental_wreck at the payment provider/,
  );
  await button(page, 'Deploy now').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Deploy 1.1.0', exact: true }).click();
  const told = page.getByRole('alertdialog', { name: 'Wreck 1.1.0 is deployed', exact: true });
  await expect(told.getByRole('alert')).toHaveText(
    /^It is live, but the server answered with an error: HTTP 404.*\. Test its connection to see why\.$/,
  );
  await expect(told.getByRole('button', { name: /^Roll back/ })).toHaveCount(0);
  await expectNoAxeFindings(page);
  await told.getByRole('link', { name: 'Test its connection', exact: true }).click();
  await expect(page).toHaveURL(/id=wreck&part=test$/);
  await expect(page.getByText('1.1.0 is deployed', { exact: true })).toBeVisible();
  await expect(page.getByRole('button', { name: /^Roll back/ })).toHaveCount(0);
});
