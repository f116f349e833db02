import type { Page } from '@playwright/test';
import { administrator, administratorCalls, deleteServers, erasePerson, newPerson } from './administrator-calls.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { callThroughLink } from './call-through-link.ts';
import { expect, test } from './product-test.ts';
import { openSignedIn } from './sign-in.ts';

test.use({ reducedMotion: 'reduce' });
test.afterEach(({ product }) =>
  deleteServers(product.publicUrl, ['quill', 'chart', 'brittle', 'ledge', 'scroll', 'swift', 'keyed']),
);

const manifest = (id: string, change: Record<string, unknown> = {}) => ({
  id,
  name: `${id[0]?.toUpperCase()}${id.slice(1)}`,
  serviceType: 'mcp',
  version: '1.0.0',
  description: 'Maps of the old world.',
  category: 'data',
  connection: { type: 'http', url: 'service:travel' },
  ...change,
});
const written = (id: string, change?: Record<string, unknown>) => JSON.stringify(manifest(id, change), null, 2);

const button = (page: Page, name: string | RegExp) => page.getByRole('button', { name, exact: true });
const tab = (page: Page, name: RegExp) => page.getByRole('tab', { name, exact: true });
const dialogOf = (page: Page, name: string) => page.getByRole('alertdialog', { name, exact: true });
/** The row of a tool; its form is a separate row below. */
const toolRow = (page: Page, tool: string) => page.getByRole('row').filter({ hasText: tool }).first();
const editorOf = (page: Page) => page.getByRole('textbox', { name: /^Manifest of / });
const openPage = (page: Page, id: string, part?: string) =>
  openSignedIn(page, `/admin?tab=manifests&id=${id}${part === undefined ? '' : `&part=${part}`}`, administrator);

/** Returns the text in the editor, which must be short: it renders only visible lines. */
const textIn = async (page: Page) => (await editorOf(page).locator('.cm-line').allInnerTexts()).join('\n');

/** Pastes over the whole text, as a user does. */
async function write(page: Page, text: string): Promise<void> {
  await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
  await editorOf(page).click();
  await page.evaluate((copied) => navigator.clipboard.writeText(copied), text);
  await page.keyboard.press('Control+a');
  await page.keyboard.press('Control+v');
}

test('[MAN-14] [MAN-15] view shows manifest, connection test and capabilities; edit opens an editor that checks and saves to staging', async ({
  page,
  product,
}) => {
  const calls = await administratorCalls(product.publicUrl);
  await calls.createManifest({ query: {}, body: written('quill', { version: '1.0.3' }) });
  await calls.deployManifest({ params: { id: 'quill' }, body: {} });
  await openSignedIn(page, '/admin', administrator);
  await page.getByRole('link', { name: 'View Quill', exact: true }).click();
  await expect(page.getByRole('heading', { level: 2, name: 'Quill', exact: true })).toBeVisible();
  await expect(page.getByText('1.0.3 is deployed')).toBeVisible();
  await expect(page.getByRole('heading', { name: 'Last 30 days', exact: true })).toBeVisible();
  await expectNoAxeFindings(page);
  await tab(page, /^Tools/).click();
  await expect(page).toHaveURL(/part=tools/);
  await expect(toolRow(page, 'find_airports')).toBeVisible();
  await tab(page, /^Connection test/).click();
  await button(page, 'Start test').click();
  await expect(page.getByText('A deployment would work.')).toBeVisible();
  for (const step of ['Manifest', 'Address allowed', 'Connected', 'MCP initialized', 'Lists loaded']) {
    await expect(page.getByText(step, { exact: true }).last()).toBeVisible();
  }
  await expect(page.getByText('The tools are the same as in the deployed version.')).toBeVisible();
  await expectNoAxeFindings(page);
  await tab(page, /^Manifest/).click();
  await expect(editorOf(page)).toContainText('"id": "quill"');
  await page.getByRole('link', { name: 'All manifests', exact: true }).click();

  await page.getByRole('link', { name: 'Edit Quill', exact: true }).click();
  await expect(page).toHaveURL(/id=quill&part=manifest$/);
  await expect(page.getByText('No problems found')).toBeVisible();
  await expectNoAxeFindings(page);
  await write(page, written('quill', { version: '', connection: { type: 'http' }, colour: 'red' }));
  const problems = page.getByRole('list', { name: 'Problems', exact: true });
  await expect(problems).toContainText(/version.*must be a version such as 1\.0\.0/);
  await expect(problems).toContainText('connection.url');
  await expect(problems).toContainText('colour');
  await write(page, written('quill', { version: '1.0.3', connection: { type: 'websocket', url: 'service:travel' } }));
  await expect(page.getByText('Version 1.0.3 is deployed. A change needs a new version.')).toBeVisible();
  await button(page, 'Use 1.0.4').click();
  await expect(editorOf(page)).toContainText('"version": "1.0.4"');
  await page.getByLabel('Reason for the change').fill('Fewer words');
  await page.keyboard.press('Enter');
  await expect(page.getByText('1.0.4 is waiting to be deployed')).toBeVisible();
  await tab(page, /^Changes/).click();
  await expect(page.getByRole('list', { name: 'Changed fields', exact: true })).toContainText('connection type');
  await expect(page.getByRole('row').filter({ hasText: '1.0.4' })).toContainText(/by admin@souk\.test.*Fewer words/s);
  await expectNoAxeFindings(page);
});

test('a server is uploaded, tested, deployed, called, repriced, rolled back, and deleted with a renter', async ({
  page,
  product,
  browser,
}) => {
  const email = 'renter@souk.test';
  const userId = await newPerson(product.publicUrl, email);
  const calls = await administratorCalls(product.publicUrl);
  await openSignedIn(page, '/admin', administrator);
  await button(page, 'Paste JSON Text').click();
  const billing = { tier: 'T1', rental: { price: 500 }, toolCosts: { find_airports: 2 } };
  await page.getByLabel('Manifest JSON').fill(written('chart', { billing }));
  await button(page, 'Upload Manifest').click();
  await expect(page.getByText('chart 1.0.0 is staged.')).toBeVisible();
  await page.getByRole('link', { name: 'Open its page', exact: true }).click();
  await expect(page.getByText('Not deployed', { exact: true }).first()).toBeVisible();

  await tab(page, /^Connection test/).click();
  await button(page, 'Start test').click();
  await expect(page.getByText('A deployment would work.')).toBeVisible();
  await page.getByText('All tools', { exact: true }).click();
  await expect(page.getByText('Clients see chart__find_airports')).toBeVisible();
  await button(page, 'Deploy 1.0.0').first().click();
  const first = dialogOf(page, 'Deploy Chart 1.0.0?');
  const costs = first.getByRole('region', { name: 'What calls cost', exact: true });
  await expect(costs.getByRole('listitem')).toHaveText(['price of find_airports: 2 credits a call']);
  await expect(costs).toContainText('Calls of all other tools are free.');
  await expectNoAxeFindings(page);
  await first.getByRole('button', { name: 'Deploy 1.0.0', exact: true }).click();
  await expect(page.getByText('Chart 1.0.0 is deployed.')).toBeVisible();
  await expect(page.getByRole('button', { name: 'See it in the shop', exact: true })).toBeVisible();

  await calls.setUserCredits({ params: { id: userId }, body: { credits: 100 } });
  await calls.addUserSubscription({ params: { id: userId }, body: { type: 'rental', mcpId: 'chart' } });
  const person = await (await browser.newContext({ baseURL: product.publicUrl })).newPage();
  await openSignedIn(person, '/service/chart', email);
  await expect(person.getByRole('heading', { level: 1, name: 'Chart', exact: true })).toBeVisible();
  const call = () => callThroughLink(person, product.publicUrl, 'chart__find_airports', { query: 'Zurich' });
  const charged = async () => /"souk\/charged":(\d+)/.exec(await call())?.[1] ?? (await call());
  expect(await charged()).toBe('2');

  // the price is changed in its row: staged, compared, deployed
  await tab(page, /^Tools/).click();
  await expect(toolRow(page, 'find_airports')).toContainText('Clients see chart__find_airports');
  await page.getByRole('button', { name: /change the price of find_airports$/ }).click();
  const form = page.getByRole('form', { name: 'Price of find_airports', exact: true });
  await expect(form.getByLabel('New version')).toHaveValue('1.0.1');
  await form.getByLabel('Credits a call').fill('2.5');
  await button(page, 'Stage new price').click();
  await expect(form).toContainText('Enter a whole number from 0 to 1,000,000.');
  await form.getByLabel('Credits a call').fill('5');
  await button(page, 'Stage new price').click();
  await expect(toolRow(page, 'find_airports')).toContainText('5 waiting to be deployed');
  expect(await charged(), 'nothing changes before the deployment').toBe('2');
  await tab(page, /^Changes/).click();
  await expect(page.getByRole('list', { name: 'Changed fields', exact: true })).toContainText(
    /find_airports.*2 -> 5 credits/,
  );
  await expect(page.getByText('1 person rents it now.')).toBeVisible();
  await button(page, 'Deploy 1.0.1').first().click();
  const deploy = dialogOf(page, 'Deploy Chart 1.0.1?');
  await expect(deploy).toContainText(/find_airports.*2 -> 5 credits/);
  await deploy.getByRole('button', { name: 'Deploy 1.0.1', exact: true }).click();
  await expect(page.getByText('1.0.1 is deployed', { exact: true })).toBeVisible();
  expect(await call()).toContain('The price of chart__find_airports rose from 2 to 5 credits.');
  const prices = await person.context().newPage();
  await prices.goto('/prices');
  await prices.getByRole('button', { name: /^Approve / }).click();
  await expect(prices.getByRole('heading', { name: 'Nothing to approve', exact: true })).toBeVisible();
  expect(await charged()).toBe('5');

  await button(page, 'Roll back to 1.0.0').first().click();
  await dialogOf(page, 'Roll back Chart to 1.0.0?')
    .getByRole('button', { name: 'Roll back to 1.0.0', exact: true })
    .click();
  await expect(page.getByText('1.0.0 is deployed', { exact: true })).toBeVisible();
  expect(await charged()).toBe('2');
  await expect(page.getByRole('button', { name: 'Deploy 1.0.1', exact: true }), 'it is the later one').not.toHaveCount(
    0,
  );
  await expect(button(page, 'Roll back to 1.0.1')).toHaveCount(0);
  await button(page, 'Deploy 1.0.1').first().click();
  await dialogOf(page, 'Deploy Chart 1.0.1?').getByRole('button', { name: 'Cancel', exact: true }).click();

  await tab(page, /^Money/).click();
  await expect(page.getByText('$5/month')).toBeVisible();
  await expect(page.getByText('souk_rental_chart', { exact: true })).toBeVisible();
  await expect(page.getByRole('main')).toContainText(email);
  await button(page, 'Delete').first().click();
  const remove = dialogOf(page, 'Delete Chart?');
  await expect(remove).toContainText('The server stops immediately for everyone who uses it');
  await expect(remove).toContainText(email);
  await remove.getByRole('button', { name: 'Delete chart', exact: true }).click();
  await expect(remove).toContainText("Type chart, the server's id.");
  await remove.getByLabel(/to confirm$/).fill('chart');
  await remove.getByRole('button', { name: 'Delete chart', exact: true }).click();
  await expect(
    page.getByText('Deleted. Its versions are kept, and can be deployed again.', { exact: true }),
  ).toBeVisible();
  expect(await call()).toContain('Chart is no longer offered here');
  await person.goto('/service/chart');
  await expect(person.getByRole('heading', { level: 1 })).not.toHaveText('Chart');
  await person.context().close();
});

test('a deployment whose server does not respond is rolled back from its dialog, which opens scrolled to the top with its warnings in view', async ({
  page,
  product,
}) => {
  const calls = await administratorCalls(product.publicUrl);
  const costs = Object.fromEntries(Array.from({ length: 40 }, (_, index) => [`tool_${index}`, 1 + index]));
  await calls.createManifest({ query: {}, body: written('brittle') });
  await calls.deployManifest({ params: { id: 'brittle' }, body: {} });
  const broken = {
    version: '1.1.0',
    connection: { type: 'http', url: 'service:travel/nowhere' },
    auth: { type: 'headers', headers: [{ name: 'X-Key', from: 'operator' }] },
    billing: { tier: 'T0', toolCosts: costs },
  };
  await calls.createManifest({ query: {}, body: written('brittle', broken) });
  await page.setViewportSize({ width: 1280, height: 620 });
  await openPage(page, 'brittle');
  await button(page, 'Deploy 1.1.0').first().click();
  const deploy = dialogOf(page, 'Deploy Brittle 1.1.0?');
  await expect(deploy).toContainText('1.1.0 replaces 1.0.0.');
  await deploy.getByRole('button', { name: /^Show \d+ more$/ }).click();
  await deploy.getByRole('button', { name: 'Cancel', exact: true }).click();
  // the second time everything is loaded when it opens
  await button(page, 'Deploy 1.1.0').first().click();
  await expect(deploy.getByRole('button', { name: 'Cancel', exact: true })).toBeFocused();
  await expect(deploy.getByText('1.1.0 replaces 1.0.0.')).toBeInViewport({ ratio: 1 });
  const missing = deploy.getByRole('status').filter({ hasText: '1 secret is missing: the server will not answer' });
  await expect(missing).toBeInViewport({ ratio: 1 });
  await expect(missing).toContainText('or the operator sets UPSTREAM_HEADER_BRITTLE__X_KEY.');
  await expectNoAxeFindings(page);
  await deploy.getByRole('button', { name: 'Deploy 1.1.0', exact: true }).click();
  const told = dialogOf(page, 'Brittle 1.1.0 is deployed');
  await expect(told.getByRole('alert')).toHaveText(
    /^It is live, but (the server|connecting to the server failed:) .*\. Roll back, or test its connection to see why\.$/,
  );
  await expect(told.getByRole('link', { name: 'Test its connection', exact: true })).toHaveAttribute(
    'href',
    /id=brittle&part=test$/,
  );
  await expectNoAxeFindings(page);
  await told.getByRole('button', { name: 'Roll back to 1.0.0', exact: true }).click();
  const back = dialogOf(page, 'Roll back Brittle to 1.0.0?');
  await expect(back).toContainText('1.0.0 replaces 1.1.0.');
  await back.getByRole('button', { name: 'Roll back to 1.0.0', exact: true }).click();
  await expect(page.getByText('Brittle 1.0.0 is deployed.')).toBeVisible();
  await expect(page.getByText('1.0.0 is deployed', { exact: true })).toBeVisible();
});

test('a server is undeployed after its dialog named the affected users, found among the deleted ones, and deployed again from its page', async ({
  page,
  product,
}) => {
  const email = 'rents-ledge@souk.test';
  const userId = await newPerson(product.publicUrl, email);
  const calls = await administratorCalls(product.publicUrl);
  const billing = { tier: 'T1', rental: { price: 500 } };
  await calls.createManifest({ query: {}, body: written('ledge', { billing }) });
  await calls.deployManifest({ params: { id: 'ledge' }, body: {} });
  await calls.addUserSubscription({ params: { id: userId }, body: { type: 'rental', mcpId: 'ledge' } });
  await openPage(page, 'ledge');
  await button(page, 'Undeploy').click();
  const undeploy = dialogOf(page, 'Undeploy Ledge?');
  await expect(undeploy).toContainText('The server is removed from the shop and from everyone’s links immediately.');
  await expect(undeploy).toContainText('Rentals are not renewed.');
  await expect(undeploy.getByRole('listitem').filter({ hasText: email })).toContainText('Granted until');
  await expect(undeploy.getByRole('checkbox'), 'nothing is paid back').toHaveCount(0);
  await expectNoAxeFindings(page);

  // another administrator stages a version meanwhile
  await calls.createManifest({ query: {}, body: written('ledge', { version: '1.1.0', billing }) });
  await undeploy.getByLabel('Reason (optional)').fill('The vendor pauses');
  await undeploy.getByRole('button', { name: 'Undeploy 1.0.0', exact: true }).click();
  await expect(undeploy.getByRole('alert')).toContainText('Nothing has been done.');
  await undeploy.getByRole('button', { name: 'Look again', exact: true }).click();
  await expect(undeploy).toContainText('and 1.1.0 stays staged.');
  await undeploy.getByRole('button', { name: 'Undeploy 1.0.0', exact: true }).click();
  await expect(page.getByText('Ledge 1.0.0 is undeployed.')).toBeVisible();
  await expect(page.getByText('Not deployed', { exact: true }).first()).toBeVisible();
  await expect(page.getByText('1.1.0 is waiting to be deployed')).toBeVisible();
  await expect(button(page, 'Undeploy')).toHaveCount(0);

  await calls.deleteManifest({ params: { id: 'ledge' }, body: {} });
  await page.getByRole('link', { name: 'All manifests', exact: true }).click();
  const row = page.getByRole('row').filter({ has: page.getByRole('link', { name: 'Ledge', exact: true }) });
  await expect(page.getByRole('link', { name: 'Travel', exact: true })).toBeVisible();
  await expect(row).toHaveCount(0);
  await page.getByRole('searchbox', { name: 'Search manifests', exact: true }).fill('ledge');
  await expect(page.getByText('1 deleted or undeployed server matches.')).toBeVisible();
  await expectNoAxeFindings(page);
  await button(page, 'Show deleted').click();
  await expect(page).toHaveURL(/status=deleted/);
  await expect(row).toContainText(/Inactive.*Deleted.*1 renter/s);
  await expect(row).not.toContainText('undeployed');
  await expect(page.getByRole('link', { name: 'Travel', exact: true })).toHaveCount(0);
  await row.getByRole('link', { name: 'Ledge', exact: true }).click();
  await expect(
    page.getByText('Deleted. Its versions are kept, and can be deployed again.', { exact: true }),
  ).toBeVisible();
  await button(page, 'Deploy 1.0.0 again').click();
  await dialogOf(page, 'Deploy Ledge 1.0.0?').getByRole('button', { name: 'Deploy 1.0.0', exact: true }).click();
  await expect(page.getByText('1.0.0 is deployed', { exact: true })).toBeVisible();
  await erasePerson(product.publicUrl, userId, email);
});

test('unsaved text survives leaving and a reload; if another administrator was faster both texts are shown', async ({
  page,
  product,
}) => {
  const calls = await administratorCalls(product.publicUrl);
  await calls.createManifest({ query: {}, body: written('scroll') });
  await openPage(page, 'scroll', 'manifest');
  await expect(editorOf(page)).toContainText('Maps of the old world.');
  const own = written('scroll', { version: '1.0.1', description: 'Mine.' });
  await write(page, own);
  await expect(tab(page, /^Manifest/)).toContainText('unsaved');
  await tab(page, /^Tools/).click();
  await tab(page, /^Manifest/).click();
  await expect(editorOf(page)).toContainText('Mine.');
  await page.getByRole('link', { name: 'All manifests', exact: true }).click();
  await dialogOf(page, 'Leave without saving?').getByRole('button', { name: 'Keep editing', exact: true }).click();
  page.on('dialog', (asked) => void asked.accept());
  await page.reload();
  await expect(page.getByText('Your unsaved text of Scroll was restored.')).toBeVisible();
  await expect.poll(() => textIn(page)).toBe(own);

  await calls.createManifest({ query: {}, body: written('scroll', { version: '1.0.2', description: 'Theirs.' }) });
  await button(page, 'Save to staging').click();
  const moved = page.getByRole('region', { name: 'This server was changed while you were writing', exact: true });
  await expect(moved).toContainText('1.0.2 was staged by admin@souk.test');
  await moved.getByRole('button', { name: 'Compare both', exact: true }).click();
  await expect(moved.getByText('Theirs.').first()).toBeVisible();
  await expect(moved.getByText('Mine.').first()).toBeVisible();
  await expectNoAxeFindings(page);
  await moved.getByRole('button', { name: 'Keep my text', exact: true }).click();
  await expect(editorOf(page)).toContainText('Mine.');
  await button(page, 'Save to staging').click();
  await expect(page.getByText('1.0.1 is waiting to be deployed')).toBeVisible();
  const { manifest: stored, versions } = await calls.getManifest({ params: { id: 'scroll' }, query: {} });
  expect(stored).toMatchObject({ version: '1.0.1', description: 'Mine.' });
  expect(versions.map(({ version }) => version).toSorted(), 'nothing is lost').toEqual(['1.0.0', '1.0.1', '1.0.2']);
});

test('the editor saves by Ctrl+S and leaves no draft behind, nor of a text that the page takes over', async ({
  page,
  product,
}) => {
  const calls = await administratorCalls(product.publicUrl);
  await calls.createManifest({ query: {}, body: written('swift') });
  await page.clock.install();
  await openPage(page, 'swift', 'manifest');
  await expect(page.getByText('No problems found')).toBeVisible();
  const moved = page.getByRole('region', { name: 'This server was changed while you were writing', exact: true });
  /** Lets every timer of the editor end, and loads the page again. */
  const expectNoDraft = async () => {
    await page.clock.runFor(2_000);
    await expect(tab(page, /^Manifest/)).toHaveText('Manifest');
    await expect(moved).toHaveCount(0);
    await page.reload();
    await expect(page.getByText('No problems found')).toBeVisible();
    await expect(tab(page, /^Manifest/)).toHaveText('Manifest');
    await expect(page.getByText('Your unsaved text of Swift was restored.')).toHaveCount(0);
  };

  await write(page, written('swift', { version: '1.0.1' }));
  await page.keyboard.press('Control+s');
  await expect(page.getByText('1.0.1 is waiting to be deployed')).toBeVisible();
  await expectNoDraft();

  // nothing is unsaved here: the page takes over what another administrator staged
  await calls.createManifest({ query: {}, body: written('swift', { version: '1.0.3' }) });
  await page.clock.runFor(30_000);
  await expect(editorOf(page)).toContainText('1.0.3');
  await expectNoDraft();

  // this text is discarded for the stored one
  await write(page, written('swift', { version: '1.0.9' }));
  await expect(tab(page, /^Manifest/)).toHaveText('Manifestunsaved');
  await calls.createManifest({ query: {}, body: written('swift', { version: '1.0.4' }) });
  await page.keyboard.press('Control+s');
  await moved.getByRole('button', { name: 'Use the stored text', exact: true }).click();
  await expect(editorOf(page)).toContainText('1.0.4');
  await expectNoDraft();
});

test('the editor does not trap the keyboard, and says on a phone what is easier on a larger screen', async ({
  page,
  product,
}) => {
  const calls = await administratorCalls(product.publicUrl);
  await calls.createManifest({ query: {}, body: written('keyed') });
  await openPage(page, 'keyed', 'manifest');
  await expect(page.getByText('No problems found')).toBeVisible();
  const stored = written('keyed', { version: '1.0.1', description: 'By keys.' });
  await write(page, stored);
  await page.keyboard.press('Control+s');
  await expect(page.getByText('1.0.1 is waiting to be deployed')).toBeVisible();
  // a text inserted as a whole, as by dictation: the browser's handling of it would violate the style policy
  const inserted = written('keyed', { version: '1.0.2', description: 'At once.' });
  await editorOf(page).fill(inserted);
  await expect.poll(() => textIn(page)).toBe(inserted);
  await button(page, 'Discard changes').click();
  await expect.poll(() => textIn(page)).toBe(stored);
  await editorOf(page).focus();
  await page.keyboard.press('Escape');
  await page.keyboard.press('Tab');
  await expect(editorOf(page)).not.toBeFocused();
  await page.setViewportSize({ width: 390, height: 844 });
  await expect(page.getByText('Editing JSON is easier on a wider screen.')).toBeVisible();
  await page.goto('/admin?tab=manifests&id=nobody');
  await expect(page.getByRole('heading', { name: 'There is no such server', exact: true })).toBeVisible();
});
