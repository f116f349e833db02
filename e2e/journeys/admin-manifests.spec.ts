import type { Locator, Page } from '@playwright/test';
import { expectNoAxeFindings } from './axe-findings.ts';
import { administratorCalls, deleteServers } from './administrator-calls.ts';
import { button, manifest, openManifests, panelOf, paste, rowOf, written } from './manifests-page.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { accountMenu } from './sign-in.ts';

// The list of manifests: what it says of each, how it is searched, and what it says when something fails.

test.use({ reducedMotion: 'reduce' });
test.afterEach(({ product }) => deleteServers(product.publicUrl, ['away']));

async function tilesOf(page: Page): Promise<(string | null)[]> {
  const tile = (label: string) => page.getByRole('definition').and(page.locator(`dt:text-is("${label}") + dd`));
  return Promise.all(['Total', 'Active', 'HTTP', 'With Tools'].map((label) => tile(label).textContent()));
}
const connectionOf = (page: Page, name: string) =>
  rowOf(page, name)
    .getByRole('cell')
    .filter({ hasText: /^\s*(HTTP|WebSocket|STDIO)/ });

test('[MAN-3] [MAN-8] [MAN-11] [MAN-12] the list has its two buttons for all manifests, and a row describes its manifest', async ({
  page,
}) => {
  await openManifests(page);
  await expect(button(page, 'Reload All')).toBeEnabled();
  const deployAll = button(page, 'Deploy All from Staging');
  await expect(deployAll, 'nothing is staged').toBeDisabled();
  await expect(deployAll).toHaveAccessibleDescription('Nothing is staged. 4 bundled drafts are deployed by name only.');
  await expect.poll(() => tilesOf(page)).toEqual(['13', '9', '8', '9']);
  const calendar = rowOf(page, 'Calendar');
  await expect(calendar).toContainText('1.0.3');
  await expect(calendar).toContainText('Your own calendar: events, free time');
  await expect(calendar).toContainText('Souk');
  await expect(calendar).toContainText(/Tools \d+.*Prompts \d+.*Resources \d+/s);
  await expect(calendar).toContainText('Active');
  await expect(connectionOf(page, 'Calendar')).toHaveText(/^WebSocket\s*service:calendar$/);
  await expect(connectionOf(page, 'Travel')).toHaveText(/^HTTP\s*service:travel$/);
  await expect(connectionOf(page, 'Memory')).toHaveText(/^STDIO\s*memory/);
  await expect(rowOf(page, 'Memory')).not.toContainText('Prompts');
  const github = rowOf(page, 'GitHub');
  await expect(github).toContainText('Inactive');
  await expect(github).toContainText('1.0.0 staged (bundled draft)');
  await expect(github).not.toContainText('Tools');
  await expectNoAxeFindings(page);
  // as the marketplace counts them
  await expect(rowOf(page, 'Everything')).toContainText('Tools 12, 4 more that ask');
  await page.getByRole('link', { name: 'View Everything', exact: true }).click();
  await page.getByRole('tab', { name: /^Tools/ }).click();
  await expect(page.getByText(/^12 tools, 4 more that ask\. 1 other, marked below/)).toBeVisible();
  const marked = page.getByRole('row').filter({ hasText: /Asks (you|for)|Uses your client's model/ });
  await expect(marked).toHaveCount(4);
  await page.goto('/service/everything');
  await expect(page.getByRole('definition').filter({ hasText: '12, 4 more that ask' })).toBeVisible();
});

test('[MAN-4] [MAN-5] [MAN-6] [MAN-17] search and filters show only matching manifests, are in the address, and Back undoes them', async ({
  page,
}) => {
  await openManifests(page, '?tab=manifests');
  const type = page.getByLabel('Connection type');
  const status = page.getByLabel('Status', { exact: true });
  const count = page.getByRole('status').filter({ hasText: /manifests$/ });
  await expect(type.getByRole('option')).toHaveText(['All', 'HTTP', 'WebSocket', 'STDIO']);
  await expect(status.getByRole('option')).toHaveText(['All', 'Active', 'Inactive']);
  const samples = { HTTP: 'Travel', WebSocket: 'Calendar', STDIO: 'Memory' } as const;
  for (const [choice, text] of [
    ['HTTP', '8 of 13 manifests'],
    ['STDIO', '4 of 13 manifests'],
    ['All', '13 manifests'],
    ['WebSocket', '1 of 13 manifests'],
  ] as const) {
    await type.selectOption(choice);
    await expect(count).toHaveText(text);
    for (const [kind, name] of Object.entries(samples))
      await expect(rowOf(page, name), `${name} in ${choice}`).toHaveCount(choice === 'All' || choice === kind ? 1 : 0);
  }
  await expect(page).toHaveURL(/type=websocket$/);
  await page.goBack();
  await expect(count).toHaveText('13 manifests');
  for (const [choice, text, [deployed, drafts]] of [
    ['Active', '9 of 13 manifests', [1, 0]],
    ['All', '13 manifests', [1, 1]],
    ['Inactive', '4 of 13 manifests', [0, 1]],
  ] as const) {
    await status.selectOption(choice);
    await expect(count).toHaveText(text);
    await expect(rowOf(page, 'Travel'), `a deployed one in ${choice}`).toHaveCount(deployed);
    await expect(rowOf(page, 'GitHub'), `a draft in ${choice}`).toHaveCount(drafts);
  }
  await page.keyboard.press('/');
  await page.keyboard.type('pull requests');
  await expect(page).toHaveURL(
    ({ searchParams }) => searchParams.get('status') === 'inactive' && searchParams.get('q') === 'pull requests',
  );
  await expect(count).toHaveText('1 of 13 manifests');
  await page.keyboard.type(' of nobody');
  await expect(page.getByRole('heading', { name: 'No manifests match your filters.', exact: true })).toBeVisible();
  await expectNoAxeFindings(page);
  await button(page, 'Clear filters').click();
  await expect(count).toHaveText('13 manifests');
});

test("[MAN-7] [MAN-9] [MAN-10] [MAN-16] without manifests the list says so; one without an author is by 'Unknown', a remote one shows its whole address, and long lists have pages", async ({
  page,
}) => {
  const none = { total: 0, active: 0, http: 0, withTools: 0, staged: 0, bundledDrafts: 0, underReview: 0 };
  let counts = { ...none, failing: 0, deleted: 0 };
  let manifests: object[] = [];
  await routeNow(page, '**/admin/manifests?*', (route) => {
    const asked = Number(new URL(route.request().url()).searchParams.get('page'));
    const pagination = { page: asked, limit: 50, total: manifests.length, pages: Math.max(1, manifests.length) };
    const shown = manifests.slice(asked - 1, asked);
    return route.fulfill({ json: { success: true, manifests: shown, pagination, counts } });
  });
  await openManifests(page);
  await expect(page.getByRole('heading', { name: 'No manifests found.', exact: true })).toBeVisible();
  await expect(button(page, 'Reload All')).toBeDisabled();
  const url = 'https://maps.example.com/of/the/old/world/mcp';
  const listed = {
    ...manifest({ connection: { type: 'http', url } }),
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
  const program = { id: 'second', name: 'Second', connection: { type: 'stdio', command: 'memory' } };
  manifests = [listed, { ...listed, ...program }];
  counts = { ...counts, total: 13, active: 9, http: 8, withTools: 7 };
  await page.reload();
  await expect.poll(() => tilesOf(page)).toEqual(['13', '9', '8', '7']);
  const row = rowOf(page, 'Atlas');
  await expect(connectionOf(page, 'Atlas')).toHaveText(`HTTP${url}`);
  await expect(row).toContainText('Unknown');
  await expect(row).toContainText(/Error\s*connection refused/);
  await expect(row).toContainText('1.1.0 staged');
  await expect(row).toContainText('2 tools under review');
  await expect(row).toContainText('1 renter');
  await button(page, 'Next').click();
  await expect(connectionOf(page, 'Second')).toHaveText(/^STDIO\s*memory/);
  await expect(page).toHaveURL(/page=2$/);
  await page.goBack();
  await expect(row).toBeVisible();
});

test('[MAN-13] a row has the actions on its manifest; a server that is down shows as down, is found by a filter, and columns order the list', async ({
  page,
  product,
}) => {
  const calls = await administratorCalls(product.publicUrl);
  const away = manifest({ id: 'away', name: 'Away', connection: { type: 'http', url: 'service:travel/nowhere' } });
  await calls.createManifest({ query: {}, body: JSON.stringify(away) });
  await calls.deployManifest({ params: { id: 'away' }, body: {} });
  await openManifests(page);
  const github = rowOf(page, 'GitHub');
  await expect(github.getByRole('link', { name: 'View GitHub', exact: true })).toHaveAttribute(
    'href',
    /\?tab=manifests&id=github$/,
  );
  await expect(github.getByRole('link', { name: 'Edit GitHub', exact: true })).toHaveAttribute(
    'href',
    /id=github&part=manifest$/,
  );
  await expect(github.getByRole('button', { name: 'Deploy GitHub 1.0.0', exact: true })).toBeEnabled();
  await expect(github.getByRole('button', { name: 'Delete GitHub', exact: true })).toBeVisible();
  const idle = rowOf(page, 'Calendar').getByRole('button', { name: 'Deploy Calendar: nothing is staged', exact: true });
  await expect(idle).toBeDisabled();

  // only servers that responded are green
  const row = rowOf(page, 'Away');
  const inColumn = (name: string, text: RegExp) => rowOf(page, name).getByRole('cell').filter({ hasText: text });
  const colourOf = (name: string, text: string) =>
    rowOf(page, name)
      .getByText(text, { exact: true })
      .evaluate((element) => getComputedStyle(element).color);
  await expect(inColumn('Away', /^Active/)).toBeVisible();
  await expect(inColumn('Away', /^(Disconnected|Error)/)).toBeVisible();
  await expect(inColumn('Travel', /^Active/)).toBeVisible();
  await expect(inColumn('Travel', /^Connected$/)).toBeVisible();
  expect(await colourOf('Away', 'Active'), 'neutral').toBe(await colourOf('Travel', 'Active'));
  expect(await colourOf('Travel', 'Active')).not.toBe(await colourOf('Travel', 'Connected'));
  await expect(page.getByRole('tab', { name: 'Broker Manifests 1 waiting', exact: true })).toBeVisible();
  await expect(accountMenu(page)).toHaveAccessibleName(/Something needs you/);
  await accountMenu(page).click();
  await expect(page.getByRole('menuitem', { name: 'Something needs you. Admin', exact: true })).toBeVisible();
  await page.keyboard.press('Escape');
  const show = page.getByLabel('Show', { exact: true });
  await expect(show.getByRole('option')).toHaveText(['All', 'Failing (1)', /^Deleted or undeployed \(\d+\)$/]);
  await show.selectOption('failing');
  await expect(page).toHaveURL(/health=failing/);
  await expect(page.getByText('1 of 14 manifests')).toBeVisible();
  await expect(row).toBeVisible();
  await expect(rowOf(page, 'Travel')).toHaveCount(0);
  // the search covers what the row shows
  await show.selectOption('All');
  const search = page.getByRole('searchbox', { name: 'Search manifests', exact: true });
  await search.fill('travel/nowhere');
  await expect(row).toBeVisible();
  await expect(rowOf(page, 'Travel')).toHaveCount(0);

  await search.fill('');
  await expect(rowOf(page, 'Travel')).toBeVisible();
  const names = () =>
    page.getByRole('region', { name: 'Manifests', exact: true }).getByRole('rowheader').allInnerTexts();
  const nameColumn = page.getByRole('columnheader', { name: 'Name', exact: true });
  await nameColumn.getByRole('button').click();
  await expect(nameColumn).toHaveAttribute('aria-sort', 'ascending');
  const ascending = await names();
  await nameColumn.getByRole('button').press('Enter');
  await expect(nameColumn).toHaveAttribute('aria-sort', 'descending');
  await expect(page).toHaveURL(/sort=-name/);
  await expect.poll(names).toEqual(ascending.toReversed());
  await expectNoAxeFindings(page);
  await page.reload();
  await expect(nameColumn).toHaveAttribute('aria-sort', 'descending');
  await page.getByRole('columnheader', { name: 'Capabilities', exact: true }).getByRole('button').click();
  await expect(nameColumn).not.toHaveAttribute('aria-sort');
});

const denied = {
  status: 403,
  json: { success: false, code: 'admin_required', message: 'Access denied. Admin privileges required.' },
};
const broken = { status: 500, json: { success: false, code: 'unexpected', message: 'The disk is full.' } };

test("[MAN-41] [MAN-42] [MAN-43] [MAN-44] a list that cannot be loaded says why, and 'Retry' asks again; a failed deletion, deployment, reload or upload is reported in the words of its action", async ({
  page,
}) => {
  let answer: object = broken;
  const heal = await routeNow(page, '**/admin/manifests?*', (route) => route.fulfill(answer));
  await openManifests(page);
  const alert = page.getByRole('main').getByRole('alert');
  await expect(alert.getByRole('heading', { name: 'Failed to load manifests', exact: true })).toBeVisible();
  await expect(alert).toContainText('The disk is full.');
  await expectNoAxeFindings(page);
  answer = denied;
  await button(page, 'Retry').click();
  await expect(alert).toHaveText('Authentication required. Please ensure you are logged in as an administrator.');
  await heal();
  const writes: string[] = [];
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
  await button(page, 'Retry').click();
  await expect(rowOf(page, 'Travel')).toBeVisible();
  await expect(button(page, 'Deploy All from Staging 1 staged')).toBeEnabled();
  /** Opens a dialog, each of them twice: the first time it is not confirmed, and sends nothing. @returns the dialog */
  const openConfirmation = async (opener: Locator) => {
    const before = writes.length;
    const dialog = page.getByRole('alertdialog');
    await opener.click();
    if (answer === broken) {
      await dialog.getByRole('button', { name: 'Cancel', exact: true }).click();
      await expect(dialog).toHaveCount(0);
      expect(writes.length, 'nothing before the confirmation').toBe(before);
      await opener.click();
    }
    return dialog;
  };
  const answers = [broken, denied];
  const texts = [];
  for (const now of answers) {
    answer = now;
    await paste(page, written());
    await button(page, 'Upload Manifest').click();
    texts.push(await panelOf(page).getByRole('alert').textContent());
    await button(page, 'Discard').click();
    for (const [opener, confirm] of [
      ['Reload All', 'Reload all'],
      ['Deploy All from Staging 1 staged', 'Deploy all'],
    ] as const) {
      const dialog = await openConfirmation(button(page, opener));
      await dialog.getByRole('button', { name: confirm, exact: true }).click();
      await expect(dialog).toHaveCount(0);
      texts.push((await alert.textContent())?.replace('Dismiss', ''));
      await button(page, 'Dismiss').click();
    }
    const deployButton = rowOf(page, 'GitHub').getByRole('button', { name: 'Deploy GitHub 1.0.0', exact: true });
    const deploy = await openConfirmation(deployButton);
    await deploy.getByRole('button', { name: 'Deploy 1.0.0', exact: true }).click();
    texts.push(await deploy.getByRole('alert').textContent());
    await deploy.getByRole('button', { name: 'Cancel', exact: true }).click();
    const remove = await openConfirmation(
      rowOf(page, 'GitHub').getByRole('button', { name: 'Delete GitHub', exact: true }),
    );
    await remove.getByLabel('Type github to confirm').fill('github');
    await remove.getByRole('button', { name: 'Delete github', exact: true }).click();
    texts.push(await remove.getByRole('alert').textContent());
    await remove.getByRole('button', { name: 'Cancel', exact: true }).click();
  }
  const verbs = ['upload', 'reload', 'deploy', 'deploy', 'delete'];
  expect(texts).toEqual([
    ...verbs.map((verb) => `Failed to ${verb} manifest: The disk is full.`),
    ...verbs.map((verb) => `Authentication required. Please log in as an administrator to ${verb} manifests.`),
  ]);
  const eachOnce = [
    'POST /admin/manifests',
    'POST /admin/manifests/reload',
    'POST /admin/manifests/deploy-all',
    'POST /admin/manifests/github/deploy',
    'DELETE /admin/manifests/github',
  ];
  expect(writes, 'each was sent once').toEqual(answers.flatMap(() => eachOnce));
});
