import type { Locator } from '@playwright/test';
import { deleteServers } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { button, openManifests, panelOf, paste, rowOf, written } from './manifests-page.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';

// The upload of a manifest, as a file or as a text: what is refused is told in words, and nothing that was typed is lost.

test.use({ reducedMotion: 'reduce' });
test.afterEach(({ product }) => deleteServers(product.publicUrl, ['from-template']));

const fileNamed = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

const noFile = 'Please select a JSON file';
const noJson = 'Invalid JSON file. Please check the file format.';

test('[MAN-1] [MAN-2] [MAN-19] [MAN-20] a file is read, refused in words where it is none, and can be edited before it is sent', async ({
  page,
}) => {
  await openManifests(page);
  const panel = panelOf(page);
  await expect(button(page, 'Paste JSON Text')).toBeVisible();
  const middleOf = async (part: Locator) => part.boundingBox().then((box) => (box ? box.y + box.height / 2 : NaN));
  const offset = (await middleOf(button(page, 'Paste JSON Text'))) - (await middleOf(panel));
  expect(Math.abs(offset), 'the buttons stand in the middle of their card').toBeLessThan(2);
  const chooser = page.waitForEvent('filechooser');
  await button(page, 'Upload JSON File').click();
  await (await chooser).setFiles(fileNamed('atlas.txt', written()));
  await expect(panel.getByRole('alert')).toHaveText(noFile);
  const input = page.getByLabel('JSON file', { exact: true });
  for (const name of ['atlas.json.txt', 'atlasjson', 'atlas.json5', 'json']) {
    await input.setInputFiles(fileNamed('earlier.json', written()));
    await expect(panel.getByRole('alert')).toHaveCount(0);
    await input.setInputFiles(fileNamed(name, written()));
    await expect(panel.getByRole('alert'), name).toHaveText(noFile);
  }
  // a refused file takes the place of another one's preview, and of nothing that was written
  await input.setInputFiles(fileNamed('earlier.json', written()));
  await expect(page.getByLabel('Preview of earlier.json')).toHaveValue(written());
  await input.setInputFiles(fileNamed('notes.txt', written()));
  await expect(panel.getByRole('alert')).toHaveText(noFile);
  await expect(page.getByLabel('Preview of earlier.json')).toHaveCount(0);
  await expect(button(page, 'Upload Manifest')).toHaveCount(0);
  await paste(page, written({ name: 'Typed' }));
  await input.setInputFiles(fileNamed('notes.txt', written()));
  await expect(panel.getByRole('alert')).toHaveText(noFile);
  await expect(page.getByLabel('Manifest JSON')).toHaveValue(written({ name: 'Typed' }));
  await expect(page.getByLabel('Manifest JSON')).not.toHaveAttribute('aria-invalid');
  const utf16 = { ...fileNamed('utf16.json', ''), buffer: Buffer.from(`\uFEFF${written()}`, 'utf16le') };
  await input.setInputFiles(utf16);
  await expect(panel.getByRole('alert')).toHaveText(`${noJson}It is UTF-16: save it as UTF-8.`);
  await input.setInputFiles(fileNamed('atlas.json', '{"id": '));
  await expect(panel.getByRole('alert')).toHaveText(
    `${noJson}Line 1, column 6: Something is missing here: a value, a comma or a closing bracket.`,
  );
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
  await expect(panel.getByRole('link', { name: 'Open its page', exact: true })).toHaveAttribute(
    'href',
    /id=of-a-file$/,
  );
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

  await rowOf(page, 'Atlas').getByRole('button', { name: 'Delete Atlas', exact: true }).click();
  const dialog = page.getByRole('alertdialog', { name: 'Delete Atlas?', exact: true });
  await dialog.getByLabel('Type of-a-file to confirm').fill('of-a-file');
  await dialog.getByRole('button', { name: 'Delete of-a-file', exact: true }).click();
  await expect(rowOf(page, 'Atlas')).toHaveCount(0);
});

test('an upload begins with a template, beside a page that says what each field is', async ({ page }) => {
  await openManifests(page);
  await button(page, 'Start from a template').click();
  const field = page.getByLabel('Manifest JSON');
  await expect(field).toBeFocused();
  const template = JSON.parse(await field.inputValue());
  await expect(button(page, 'Start from a template'), 'it would take the place of what was written').toHaveCount(0);
  await field.fill(
    JSON.stringify({ ...template, id: 'from-template', connection: { type: 'http', url: 'service:travel' } }),
  );
  await button(page, 'Upload Manifest').click();
  await expect(panelOf(page).getByRole('status')).toContainText('from-template 1.0.0 is staged.');
  const opened = page.waitForEvent('popup');
  await panelOf(page).getByRole('link', { name: 'Fields of a manifest (opens a new tab)', exact: true }).click();
  const fields = await opened;
  await expect(fields.getByRole('heading', { level: 1, name: 'Manifests', exact: true })).toBeVisible();
  await expect(fields.getByRole('rowheader', { name: 'billing.rental.price', exact: true })).toBeVisible();
  await expectNoAxeFindings(fields);
  await fields.close();
  await expectNoAxeFindings(page);
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
  [
    '[MAN-22] no name',
    '{"id":"atlas","serviceType":"mcp"}',
    'Invalid manifest: Missing required fields (id, name, serviceType)',
  ],
  [
    '[MAN-22] no service type',
    '{"id":"atlas","name":"Atlas"}',
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
  await expect(alert).toHaveText(
    /^Failed to upload manifest: Invalid manifest:version must .*description must .*category must /,
  );
  await expect(alert.getByRole('listitem')).toContainText(['version', 'description', 'category']);
  for (const field of ['version must be', 'description must', 'category must'])
    expect((await alert.innerText()).split(field), 'each is said once').toHaveLength(2);
  // what was not written is not told
  await paste(page, JSON.stringify({ id: 'atlas', name: 'x'.repeat(600), serviceType: 'mcp' }));
  await button(page, 'Upload Manifest').click();
  await expect(alert).toContainText('name must be at most 80 characters');
  await expect(alert).not.toContainText('description');
  await expectNoAxeFindings(page);
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
  await expect(page.getByRole('heading', { name: 'Access Denied', exact: true })).toBeVisible();
  await openManifests(page);
  await expect(page.getByLabel('Manifest JSON')).toHaveValue(written());
  await button(page, 'Discard').click();
  await expect(page.getByLabel('Manifest JSON')).toHaveCount(0);
  await page.reload();
  await expect(rowOf(page, 'Travel')).toBeVisible();
  await expect(page.getByLabel('Manifest JSON')).toHaveCount(0);
});
