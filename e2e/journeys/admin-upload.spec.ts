import type { Locator } from '@playwright/test';
import { deleteServers } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { button, openManifests, panelOf, paste, rowOf, written } from './manifests-page.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';

// The upload of a manifest, as a file or as text: a refusal gives its reason, and no typed text is lost.

test.use({ reducedMotion: 'reduce' });
test.afterEach(({ product }) => deleteServers(product.publicUrl, ['of-a-file', 'from-template']));

const fileNamed = (name: string, text: string) => ({ name, mimeType: 'text/plain', buffer: Buffer.from(text) });

const noFile = 'Please select a JSON file';
const noJson = 'Invalid JSON file. Please check the file format.';

test('[MAN-1] [MAN-2] [MAN-19] [MAN-20] a file is read, refused with a reason if it is invalid, and can be edited before it is sent; a template can be too', async ({
  page,
}) => {
  await openManifests(page);
  const panel = panelOf(page);
  await expect(button(page, 'Paste JSON Text')).toBeVisible();
  const middleOf = async (part: Locator) => part.boundingBox().then((box) => (box ? box.y + box.height / 2 : NaN));
  const offset = (await middleOf(button(page, 'Paste JSON Text'))) - (await middleOf(panel));
  expect(Math.abs(offset), 'the buttons are in the middle of their card').toBeLessThan(2);
  const chooser = page.waitForEvent('filechooser');
  await button(page, 'Upload JSON File').click();
  await (await chooser).setFiles(fileNamed('atlas.txt', written()));
  await expect(panel.getByRole('alert')).toHaveText(noFile);
  const input = page.getByLabel('JSON file', { exact: true });
  // a refused file replaces another one's preview, but no typed text
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
  await input.setInputFiles(fileNamed('atlas.json', '{"id": '));
  await expect(panel.getByRole('alert')).toHaveText(
    `${noJson}Line 1, column 6: Something is missing here: a value, a comma or a closing bracket.`,
  );
  const preview = page.getByLabel('Preview of atlas.json');
  await expect(preview, 'the fault can be corrected here').toHaveValue('{"id": ');
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

  // or the text starts with a template, next to a page that explains each field
  await button(page, 'Start from a template').click();
  const field = page.getByLabel('Manifest JSON');
  await expect(field).toBeFocused();
  const template = JSON.parse(await field.inputValue());
  await expect(button(page, 'Start from a template'), 'it would replace the typed text').toHaveCount(0);
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
});

const refused: readonly [text: string, wanted: string | RegExp][] = [
  ['', 'Please enter a manifest JSON or upload a file'],
  ['{', /^Invalid JSON format\. Please check your manifest syntax\./],
  ['{"name":"A","serviceType":"mcp"}', 'Invalid manifest: Missing required fields (id, name, serviceType)'],
  // the broker's own words
  [
    written({ connection: { type: 'stdio', command: '/bin/sh' } }),
    /connection\.command: "\/bin\/sh" is not on this installation's allow-list of commands/,
  ],
];

test('[MAN-21] [MAN-22] [MAN-23] typed text is refused with a reason and stays in the field, after a failure and an expired sign-in too, for the same account only', async ({
  page,
}) => {
  await openManifests(page);
  const alert = panelOf(page).getByRole('alert');
  const field = page.getByLabel('Manifest JSON');
  for (const [text, wanted] of refused) {
    await paste(page, text);
    await button(page, 'Upload Manifest').click();
    await expect(alert, text).toContainText(wanted);
    await expect(field, text).toHaveValue(text);
    await expect(field, text).toHaveAttribute('aria-invalid', 'true');
  }
  await paste(page, written({ description: '', version: '', category: 'none' }));
  await button(page, 'Upload Manifest').click();
  await expect(alert).toHaveText(
    /^Failed to upload manifest: Invalid manifest:version must .*description must .*category must /,
  );
  await expect(alert.getByRole('listitem')).toContainText(['version', 'description', 'category']);
  for (const part of ['version must be', 'description must', 'category must'])
    expect((await alert.innerText()).split(part), 'each is said once').toHaveLength(2);
  await expectNoAxeFindings(page);

  const heal = await routeNow(page, '**/admin/manifests', (route) => route.abort());
  await paste(page, written());
  await button(page, 'Upload Manifest').click();
  await expect(alert).toHaveText('Failed to upload manifest: Network error occurred');
  await heal();
  await page.context().clearCookies();
  await page.evaluate(() => window.localStorage.clear());
  await page.goto('/admin');
  await expect(page.getByRole('heading', { name: 'Access Denied', exact: true })).toBeVisible();
  await openManifests(page);
  await expect(field).toHaveValue(written());
  await button(page, 'Discard').click();
  await expect(field).toHaveCount(0);
  await page.reload();
  await expect(rowOf(page, 'Travel')).toBeVisible();
  await expect(field).toHaveCount(0);
});
