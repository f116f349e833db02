import type { Page } from '@playwright/test';
import { expectNoAxeFindings } from './axe-findings.ts';
import { expect, test } from './product-test.ts';
import { payAndReturn } from './pay-with-card.ts';
import { routeNow } from './route-now.ts';
import { openSignedIn } from './sign-in.ts';

const administrator = 'admin@souk.test';
const openManifests = (page: Page, query = '') => openSignedIn(page, `/admin${query}`, administrator);

const manifest = (change: Record<string, unknown> = {}) => ({
  id: 'atlas',
  name: 'Atlas',
  serviceType: 'mcp',
  version: '1.0.0',
  description: 'Maps of the old world.',
  category: 'data',
  connection: { type: 'http', url: 'service:travel' },
  ...change,
});
const written = (change?: Record<string, unknown>) => JSON.stringify(manifest(change), null, 2);
const button = (page: Page, name: string) => page.getByRole('button', { name, exact: true });
const rowOf = (page: Page, name: string) =>
  page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
const fileNamed = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });
const panelOf = (page: Page) => page.getByRole('region', { name: 'Upload Manifest' });

async function paste(page: Page, text: string): Promise<void> {
  await button(page, 'Paste JSON Text').click();
  await page.getByLabel('Manifest JSON').fill(text);
}

/** Calls that change something, as they are sent. */
function writesOf(page: Page): string[] {
  const writes: string[] = [];
  page.on('request', (request) => {
    const { pathname } = new URL(request.url());
    if (request.method() !== 'GET' && pathname.startsWith('/admin/')) writes.push(`${request.method()} ${pathname}`);
  });
  return writes;
}

test.use({ reducedMotion: 'reduce' });

test('[MAN-3] [MAN-7] [MAN-8] [MAN-10] [MAN-11] [MAN-12] [MAN-13] the list says of each manifest what it is, and what can be done with it', async ({
  page,
}) => {
  await openManifests(page);
  await expect(button(page, 'Reload All')).toBeEnabled();
  const deployAll = button(page, 'Deploy All from Staging');
  await expect(deployAll, 'nothing is staged').toBeDisabled();
  await expect(deployAll).toHaveAccessibleDescription('Nothing is staged. 4 bundled drafts are deployed by name only.');
  const tile = (label: string) => page.getByRole('definition').and(page.locator(`dt:text-is("${label}") + dd`));
  await expect(tile('Total')).toHaveText('13');
  await expect(tile('Active')).toHaveText('9');
  await expect(tile('HTTP')).toHaveText('8');
  await expect(tile('With Tools')).toHaveText('9');
  const calendar = rowOf(page, 'Calendar');
  await expect(calendar).toContainText('1.0.3');
  await expect(calendar).toContainText('Your own calendar: events, free time');
  await expect(calendar).toContainText('Souk');
  await expect(calendar).toContainText('WebSocket');
  await expect(calendar).toContainText('service:calendar');
  await expect(calendar).toContainText(/Tools \d+.*Prompts \d+.*Resources \d+/s);
  await expect(calendar).toContainText('Active');
  const memory = rowOf(page, 'Memory');
  await expect(memory).toContainText(/STDIO\s*memory/);
  await expect(memory).not.toContainText('Prompts');
  const github = rowOf(page, 'GitHub');
  await expect(github).toContainText('Inactive');
  await expect(github).toContainText('1.0.0 waiting (bundled draft)');
  await expect(github).not.toContainText('Tools');
  await expect(github.getByRole('link', { name: 'View GitHub' })).toHaveAttribute('href', /\?tab=manifests&id=github$/);
  await expect(github.getByRole('link', { name: 'Edit GitHub' })).toHaveAttribute('href', /id=github&part=manifest$/);
  await expect(github.getByRole('button', { name: 'Deploy GitHub 1.0.0' })).toBeEnabled();
  await expect(github.getByRole('button', { name: 'Delete GitHub' })).toBeVisible();
  await expect(calendar.getByRole('button', { name: 'Deploy Calendar: nothing is staged' })).toBeDisabled();
  await expectNoAxeFindings(page);
});

test('[MAN-4] [MAN-5] [MAN-6] [MAN-17] search and filters stand in the address, and Back undoes them', async ({
  page,
}) => {
  await openManifests(page, '?tab=manifests');
  const type = page.getByLabel('Connection type');
  const status = page.getByLabel('Status', { exact: true });
  await expect(type.getByRole('option')).toHaveText(['All', 'HTTP', 'WebSocket', 'STDIO']);
  await expect(status.getByRole('option')).toHaveText(['All', 'Active', 'Inactive']);
  await type.selectOption('WebSocket');
  await expect(page).toHaveURL(/type=websocket$/);
  await expect(page.getByText('1 of 13 manifests')).toBeVisible();
  await expect(rowOf(page, 'Calendar')).toBeVisible();
  await page.goBack();
  await expect(page.getByText('13 manifests', { exact: true })).toBeVisible();
  await status.selectOption('Inactive');
  await expect(page.getByText('4 of 13 manifests')).toBeVisible();
  await page.keyboard.press('/');
  await page.keyboard.type('pull requests');
  await expect(page).toHaveURL(/status=inactive&q=pull\+requests$/);
  await expect(page.getByText('1 of 13 manifests')).toBeVisible();
  await page.keyboard.type(' of nobody');
  await expect(page.getByRole('heading', { name: 'No manifests match your filters.' })).toBeVisible();
  await expectNoAxeFindings(page);
  await button(page, 'Clear filters').click();
  await expect(page.getByText('13 manifests', { exact: true })).toBeVisible();
});

test("[MAN-9] [MAN-16] without manifests the list says so; one without an author is of 'Unknown', and long lists have pages", async ({
  page,
}) => {
  const counts = { total: 0, active: 0, http: 0, withTools: 0, staged: 0, bundledDrafts: 0, underReview: 0 };
  let manifests: object[] = [];
  await routeNow(page, '**/admin/manifests?*', (route) => {
    const asked = Number(new URL(route.request().url()).searchParams.get('page'));
    const pagination = { page: asked, limit: 50, total: manifests.length, pages: Math.max(1, manifests.length) };
    const shown = manifests.slice(asked - 1, asked);
    return route.fulfill({ json: { success: true, manifests: shown, pagination, counts } });
  });
  await openManifests(page);
  await expect(page.getByRole('heading', { name: 'No manifests found.' })).toBeVisible();
  await expect(button(page, 'Reload All')).toBeDisabled();
  const listed = {
    ...manifest(),
    author: null,
    isActive: true,
    capabilities: { tools: 1, prompts: 0, resources: 0 },
    deployedVersion: '1.0.0',
    stagedVersion: '1.1.0',
    stagedOrigin: 'admin',
    status: 'error',
    statusDetail: 'connection refused',
    toolsUnderReview: 2,
    renters: 1,
  };
  manifests = [listed, { ...listed, id: 'second', name: 'Second' }];
  await page.reload();
  const row = rowOf(page, 'Atlas');
  await expect(row).toContainText('Unknown');
  await expect(row).toContainText('Error: connection refused');
  await expect(row).toContainText('1.1.0 waiting');
  await expect(row).toContainText('2 tools under review');
  await expect(row).toContainText('1 renter');
  await button(page, 'Next').click();
  await expect(rowOf(page, 'Second')).toBeVisible();
  await expect(page).toHaveURL(/page=2$/);
  await page.goBack();
  await expect(row).toBeVisible();
});

const noFile = 'Please select a JSON file';
const noJson = 'Invalid JSON file. Please check the file format.';

test('[MAN-1] [MAN-2] [MAN-19] [MAN-20] a file is read, refused in words where it is none, and can be edited before it is sent', async ({
  page,
}) => {
  await openManifests(page);
  const panel = panelOf(page);
  await expect(button(page, 'Paste JSON Text')).toBeVisible();
  const chooser = page.waitForEvent('filechooser');
  await button(page, 'Upload JSON File').click();
  await (await chooser).setFiles(fileNamed('atlas.txt', written()));
  await expect(panel.getByRole('alert')).toHaveText(noFile);
  const input = page.getByLabel('JSON file', { exact: true });
  await input.setInputFiles(fileNamed('atlas.json', '{"id": '));
  await expect(panel.getByRole('alert')).toContainText(noJson);
  const preview = page.getByLabel('Preview of atlas.json');
  await expect(preview, 'what is wrong can be mended here').toHaveValue('{"id": ');
  await preview.fill(written({ id: 'of-a-file', version: '0.9.0' }));
  await expect(panel.getByRole('alert')).toHaveCount(0);
  const sent = page.waitForRequest(
    (request) => request.method() === 'POST' && /\/admin\/manifests/.test(request.url()),
  );
  await button(page, 'Upload Manifest').click();
  expect((await sent).postData(), 'as it was edited').toBe(written({ id: 'of-a-file', version: '0.9.0' }));
  await expect(panel.getByRole('status')).toContainText('of-a-file 0.9.0 is staged.');
  await expect(panel.getByRole('link', { name: 'Open its page' })).toHaveAttribute('href', /id=of-a-file$/);
  await expectNoAxeFindings(page);

  // the same by dropping it
  const data = await page.evaluateHandle(
    (text) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([text], 'dropped.json', { type: 'application/json' }));
      return transfer;
    },
    written({ id: 'dropped' }),
  );
  await panel.dispatchEvent('drop', { dataTransfer: data });
  await expect(page.getByLabel('Preview of dropped.json')).toHaveValue(written({ id: 'dropped' }));
  await button(page, 'Discard').click();

  await rowOf(page, 'Atlas').getByRole('button', { name: 'Delete Atlas' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Delete Atlas?' });
  await dialog.getByLabel('Type of-a-file to confirm').fill('of-a-file');
  await dialog.getByRole('button', { name: 'Delete of-a-file' }).click();
  await expect(rowOf(page, 'Atlas')).toHaveCount(0);
});

const tooLong = (length: number) => written({ description: 'x' }).padEnd(length, ' ');
const refused: readonly [name: string, text: string, wanted: string | RegExp][] = [
  ['[MAN-21] nothing', '', 'Please enter a manifest JSON or upload a file'],
  ['[MAN-23] `{`', '{', /^Invalid JSON format\. Please check your manifest syntax\./],
  [
    '[MAN-22] no id',
    '{"name":"A","serviceType":"mcp"}',
    'Invalid manifest: Missing required fields (id, name, serviceType)',
  ],
  ['256 KiB and a byte', tooLong(256 * 1024 + 1), 'Invalid manifest: is larger than 256 KiB'],
  ['a byte order mark', `\uFEFF${written()}`, /Invalid manifest: begins with a byte order mark/],
  ['NUL', written({ name: 'At\0las' }), /Invalid manifest: contains a NUL character/],
  ['a key that comes twice', written().replace('{', '{"id":"first",'), /Invalid manifest: id is a duplicate key/],
  ['an id that leaves its folder', written({ id: '../../x' }), /Invalid manifest: id must be 1 to 63 of a-z/],
  ['an id of the prototype', written({ id: '__proto__' }), /Invalid manifest: id must be 1 to 63 of a-z/],
  ['a field of the prototype', written().replace('{', '{"__proto__":{},'), /__proto__ is not an allowed name/],
  ['a number as an address', written({ connection: { type: 'http', url: 'http://2130706433/' } }), /connection\.url: /],
  [
    'a mapped address',
    written({ connection: { type: 'http', url: 'http://[::ffff:127.0.0.1]/' } }),
    /connection\.url: /,
  ],
  [
    'a shell',
    written({ connection: { type: 'stdio', command: '/bin/sh' } }),
    /connection\.command: "\/bin\/sh" is not on this installation's allow-list of commands/,
  ],
  ['a field that is none', written({ wrong: 1 }), /Invalid manifest: wrong is not a field of a manifest/],
];

test(`every refused manifest is told in words, and stays in the field: ${refused.map(([name]) => name).join(', ')}`, async ({
  page,
}) => {
  await openManifests(page);
  const alert = panelOf(page).getByRole('alert');
  for (const [name, text, wanted] of refused) {
    await paste(page, text);
    await button(page, 'Upload Manifest').click();
    await expect(alert, name).toContainText(wanted);
    await expect(page.getByLabel('Manifest JSON'), name).toHaveValue(text);
    await expect(page.getByLabel('Manifest JSON'), name).toHaveAttribute('aria-invalid', 'true');
  }
  await paste(page, written({ name: '', version: '' }));
  await button(page, 'Upload Manifest').click();
  await expect(alert).toContainText('Missing required fields');
  await paste(page, written({ description: '', version: '', category: 'none' }));
  await button(page, 'Upload Manifest').click();
  await expect(alert.getByRole('listitem')).toContainText(['version', 'description', 'category']);
  await expectNoAxeFindings(page);
});

test('[ADM-13] an upload is told as staged, deployed after its dialog said what it does, and is in the shop', async ({
  page,
}) => {
  const writes = writesOf(page);
  await openManifests(page);
  await paste(page, written());
  await button(page, 'Upload Manifest').click();
  await expect(panelOf(page).getByRole('status')).toContainText('atlas 1.0.0 is staged.');
  await expect(page.getByRole('tab', { name: 'Broker Manifests 1 waiting' })).toBeVisible();
  await expect(button(page, 'Deploy All from Staging 1 staged')).toBeEnabled();
  await button(page, 'Deploy now').click();
  const first = page.getByRole('alertdialog', { name: 'Deploy Atlas 1.0.0?' });
  await expect(first).toContainText('1.0.0 goes into the shop. Nothing is deployed now.');
  expect(writes, 'nothing before the confirmation').toEqual(['POST /admin/manifests']);
  await expectNoAxeFindings(page);
  const sent = page.waitForRequest('**/admin/manifests/atlas/deploy');
  await first.getByLabel('Reason').fill('Asked for by sales');
  await first.getByRole('button', { name: 'Deploy 1.0.0' }).click();
  expect((await sent).postDataJSON(), 'it names its version').toEqual({
    version: '1.0.0',
    reason: 'Asked for by sales',
  });
  expect((await sent).headers()['if-match'], 'and what was shown').toMatch(/^".+"$/);
  await expect(first).toHaveCount(0);
  await expect(rowOf(page, 'Atlas')).toContainText('Active');

  await paste(page, written({ version: '1.1.0', name: 'Atlas of today' }));
  await button(page, 'Upload Manifest').click();
  await expect(rowOf(page, 'Atlas')).toContainText('1.1.0 waiting');
  await rowOf(page, 'Atlas').getByRole('button', { name: 'Deploy Atlas 1.1.0' }).click();
  const second = page.getByRole('alertdialog', { name: 'Deploy Atlas 1.1.0?' });
  await expect(second).toContainText('1.1.0 takes the place of 1.0.0.');
  await expect(second.getByRole('listitem').filter({ hasText: 'Atlas of today' })).toBeVisible();

  // another administrator stages another version meanwhile
  const other = await page.request.post('/admin/manifests', {
    headers: { authorization: (await sent).headers()['authorization'] ?? '' },
    data: manifest({ version: '1.2.0', name: 'Atlas of tomorrow' }),
  });
  expect(other.status()).toBe(200);
  await second.getByRole('button', { name: 'Deploy 1.1.0' }).click();
  const moved = second.getByRole('alert');
  await expect(moved).toContainText('Nothing has been done.');
  await expect(moved.getByRole('row', { name: 'Staged 1.1.0 1.2.0' })).toBeVisible();
  await expect(moved).toContainText(`Changed by ${administrator}`);
  await expectNoAxeFindings(page);
  await moved.getByRole('button', { name: 'Look again' }).click();
  const third = page.getByRole('alertdialog', { name: 'Deploy Atlas 1.2.0?' });
  await third.getByRole('button', { name: 'Deploy 1.2.0' }).click();
  await expect(rowOf(page, 'Atlas of tomorrow')).toContainText('1.2.0');
  await page.goto('/service/atlas');
  await expect(page.getByRole('heading', { level: 1, name: 'Atlas of tomorrow' })).toBeVisible();

  // by keyboard alone
  await page.goto('/admin?q=atlas');
  const remove = rowOf(page, 'Atlas of tomorrow').getByRole('button', { name: 'Delete Atlas of tomorrow' });
  await expect(remove).toBeVisible();
  await remove.focus();
  await page.keyboard.press('Enter');
  const dialog = page.getByRole('alertdialog', { name: 'Delete Atlas of tomorrow?' });
  await expect(dialog).toContainText('The server stops at once for everyone who uses it');
  await dialog.getByLabel('Type atlas to confirm').focus();
  await page.keyboard.type('atlantis');
  await page.keyboard.press('Enter');
  await expect(dialog.getByText("Type atlas, the server's id.")).toBeVisible();
  expect(writes.filter((write) => write.startsWith('DELETE'))).toEqual([]);
  await page.keyboard.press('ControlOrMeta+a');
  await page.keyboard.type('atlas');
  await page.keyboard.press('Enter');
  await expect(page.getByRole('heading', { name: 'No manifests match your filters.' })).toBeVisible();
  expect(writes.filter((write) => write.startsWith('DELETE'))).toEqual(['DELETE /admin/manifests/atlas']);
});

test('what was typed survives a failure and a lapsed sign-in, and is seen by the same account alone', async ({
  page,
}) => {
  await openManifests(page);
  const heal = await routeNow(page, '**/admin/manifests', (route) => route.abort());
  await paste(page, written());
  await button(page, 'Upload Manifest').click();
  await expect(panelOf(page).getByRole('alert')).toHaveText('Failed to upload manifest: Network error occurred');
  await heal();
  await page.context().clearCookies();
  await page.evaluate(() => window.localStorage.clear());
  await page.goto('/admin');
  await expect(page.getByRole('heading', { name: 'Access Denied' })).toBeVisible();
  await openManifests(page);
  await expect(page.getByLabel('Manifest JSON')).toHaveValue(written());
  await button(page, 'Discard').click();
  await expect(page.getByLabel('Manifest JSON')).toHaveCount(0);
  await page.reload();
  await expect(rowOf(page, 'Travel')).toBeVisible();
  await expect(page.getByLabel('Manifest JSON')).toHaveCount(0);
});

const denied = {
  status: 403,
  json: { success: false, code: 'admin_required', message: 'Access denied. Admin privileges required.' },
};
const broken = { status: 500, json: { success: false, code: 'unexpected', message: 'The disk is full.' } };

test("[MAN-41] [MAN-42] [ERR-11] a list that cannot be loaded says why, and 'Retry' asks again", async ({ page }) => {
  let answer: object = broken;
  const heal = await routeNow(page, '**/admin/manifests?*', (route) => route.fulfill(answer));
  await openManifests(page);
  const alert = page.getByRole('main').getByRole('alert');
  await expect(alert.getByRole('heading', { name: 'Failed to load manifests' })).toBeVisible();
  await expect(alert).toContainText('The disk is full.');
  await expectNoAxeFindings(page);
  answer = denied;
  await button(page, 'Retry').click();
  await expect(alert).toHaveText('Authentication required. Please ensure you are logged in as an administrator.');
  await heal();
  await button(page, 'Retry').click();
  await expect(rowOf(page, 'Travel')).toBeVisible();
});

test('[MAN-43] [MAN-44] [ERR-11] [ADM-13] what fails to be deleted, deployed, reloaded or uploaded is told in the words of its action', async ({
  page,
}) => {
  let answer: object = broken;
  const writes: string[] = [];
  await openManifests(page);
  await routeNow(page, /\/admin\/manifests($|\/)/, (route) => {
    const { pathname } = new URL(route.request().url());
    if (route.request().method() === 'GET') return route.fallback();
    writes.push(`${route.request().method()} ${pathname}`);
    return route.fulfill(answer);
  });
  await routeNow(page, '**/admin/manifests?*', async (route) => {
    const real = await route.fetch();
    const list = Object(await real.json());
    list.counts.staged = 1;
    await route.fulfill({ response: real, json: list });
  });
  await page.reload();
  await expect(button(page, 'Deploy All from Staging 1 staged')).toBeEnabled();
  const texts = [];
  for (const now of [broken, denied]) {
    answer = now;
    await paste(page, written());
    await button(page, 'Upload Manifest').click();
    texts.push(await panelOf(page).getByRole('alert').textContent());
    await button(page, 'Discard').click();
    for (const [opener, confirm] of [
      ['Reload All', 'Reload all'],
      ['Deploy All from Staging 1 staged', 'Deploy all'],
    ] as const) {
      await button(page, opener).click();
      const before = writes.length;
      const dialog = page.getByRole('alertdialog');
      await expect(dialog).toBeVisible();
      expect(writes.length, 'nothing before the confirmation').toBe(before);
      await dialog.getByRole('button', { name: confirm }).click();
      await expect(dialog).toHaveCount(0);
      const alert = page.getByRole('main').getByRole('alert');
      texts.push((await alert.textContent())?.replace('Dismiss', ''));
      await button(page, 'Dismiss').click();
    }
    await rowOf(page, 'GitHub').getByRole('button', { name: 'Deploy GitHub 1.0.0' }).click();
    const deploy = page.getByRole('alertdialog', { name: 'Deploy GitHub 1.0.0?' });
    await deploy.getByRole('button', { name: 'Deploy 1.0.0' }).click();
    texts.push(await deploy.getByRole('alert').textContent());
    await deploy.getByRole('button', { name: 'Cancel' }).click();
    await rowOf(page, 'GitHub').getByRole('button', { name: 'Delete GitHub' }).click();
    const remove = page.getByRole('alertdialog', { name: 'Delete GitHub?' });
    await remove.getByLabel('Type github to confirm').fill('github');
    await remove.getByRole('button', { name: 'Delete github' }).click();
    texts.push(await remove.getByRole('alert').textContent());
    await remove.getByRole('button', { name: 'Cancel' }).click();
  }
  const verbs = ['upload', 'reload', 'deploy', 'deploy', 'delete'];
  expect(texts).toEqual([
    ...verbs.map((verb) => `Failed to ${verb} manifest: The disk is full.`),
    ...verbs.map((verb) => `Authentication required. Please log in as an administrator to ${verb} manifests.`),
  ]);
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
  await card('By Phone').getByRole('button', { name: 'Deploy By Phone 1.0.0' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Deploy By Phone 1.0.0?' });
  await dialog.getByRole('button', { name: 'Deploy 1.0.0' }).click();
  await expect(card('By Phone')).toContainText('Active');
  await card('By Phone').getByRole('button', { name: 'Delete By Phone' }).click();
  const remove = page.getByRole('alertdialog', { name: 'Delete By Phone?' });
  await remove.getByLabel('Type by-phone to confirm').fill('by-phone');
  await remove.getByRole('button', { name: 'Delete by-phone' }).click();
  await expect(card('By Phone')).toHaveCount(0);
});

test('a deployment says when the server does not answer; a deletion names who rents it, and pays back what is chosen', async ({
  page,
  browser,
}) => {
  test.setTimeout(180_000);
  const rented = {
    id: 'rented-map',
    name: 'Rented Map',
    billing: { tier: 'T2', rental: { price: 900 } },
    connection: { type: 'http', url: 'service:travel/nowhere' },
  };
  await openManifests(page);
  await paste(page, written(rented));
  await button(page, 'Upload Manifest').click();
  await expect(panelOf(page).getByRole('status')).toContainText(
    /Its rental is product souk_rental_rented-map at the payment provider/,
  );
  await button(page, 'Deploy now').click();
  await page.getByRole('alertdialog').getByRole('button', { name: 'Deploy 1.0.0' }).click();
  const told = page.getByRole('alertdialog', { name: 'Rented Map 1.0.0 is deployed' });
  await expect(told.getByRole('alert')).toContainText('It is live, but the server did not answer:');
  await expectNoAxeFindings(page);
  await told.getByRole('button', { name: 'Close', exact: true }).last().click();
  await expect(rowOf(page, 'Rented Map')).toContainText(/Active\s*(Error|Disconnected)/);

  const others = await browser.newContext();
  const renter = await others.newPage();
  await openSignedIn(renter, '/service/rented-map', 'renter@souk.test');
  await renter.getByRole('region', { name: 'Use this service' }).getByRole('button', { name: 'Purchase' }).click();
  await renter.getByRole('dialog').getByRole('button', { name: 'Continue to payment' }).click();
  await payAndReturn(renter);
  await others.close();

  await page.reload();
  await expect(rowOf(page, 'Rented Map')).toContainText('1 renter');
  await rowOf(page, 'Rented Map').getByRole('button', { name: 'Delete Rented Map' }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Delete Rented Map?' });
  await expect(dialog).toContainText('They end with the period that is paid for, without a refund, unless you choose');
  await expect(dialog.getByRole('heading', { name: '1 person rents it' })).toBeVisible();
  await expect(dialog.getByRole('status')).toHaveText('No refund is chosen.');
  await dialog.getByRole('checkbox', { name: /^Refund \$\d\.\d\d to renter@souk\.test$/ }).check();
  await expect(dialog.getByRole('status')).toHaveText(/^1 refund, \$[89]\.\d\d in total\.$/);
  await expectNoAxeFindings(page);
  await dialog.getByLabel('Type rented-map to confirm').fill('rented-map');
  const answer = page.waitForResponse('**/admin/manifests/rented-map');
  await dialog.getByRole('button', { name: 'Delete rented-map' }).click();
  expect(await (await answer).json()).toMatchObject({ renters: 1, refunds: [{ result: 'refunded', currency: 'USD' }] });
  await expect(page.getByText(/rented-map is deleted\. \$[89]\.\d\d is paid back\./)).toBeVisible();
});
