import type { Locator, Page } from '@playwright/test';
import type { RunEvent } from '@souk/contract/tool-runs.ts';
import { expectNoAxeFindings } from './axe-findings.ts';
import { changeCatalogue } from './catalogue-answer.ts';
import { payAndReturn } from './pay-with-card.ts';
import { expect, test } from './product-test.ts';
import { routeNow } from './route-now.ts';
import { chooseAccount, openSignedIn } from './sign-in.ts';

const rowOf = (page: Page, tool: string) =>
  page
    .getByRole('main')
    .getByRole('listitem')
    .filter({ has: page.getByText(tool, { exact: true }) });

/** Opens a tool's row and its form. */
async function tryTool(page: Page, tool: string) {
  const row = rowOf(page, tool);
  await row.locator('summary').first().click();
  await row.getByRole('button', { name: /^Try it/ }).click();
  return row;
}

const run = (row: Locator) => row.getByRole('button', { name: 'Run', exact: true });

/** Fills in the fields whose names begin like the keys of `values`. */
async function fill(row: Locator, values: Record<string, string>) {
  for (const [name, value] of Object.entries(values)) {
    await row.getByRole('textbox', { name: new RegExp(`^${name}\\b`, 'i'), exact: true }).fill(value);
  }
}

test('a user runs a tool on its page, with the form of its schema, the cost before, and the result by its type', async ({
  page,
}) => {
  await page.goto('/service/travel');
  const visitor = await tryTool(page, 'find_airports');
  await visitor.getByRole('button', { name: 'Sign in to try it', exact: true }).click();
  await chooseAccount(page, 'tries-travel@souk.test');
  // returns to the same address
  await expect(page).toHaveURL(/\/service\/travel\?try=find_airports$/);
  const row = rowOf(page, 'find_airports');
  const trial = row.getByRole('region', { name: /^Try / });
  await expect(trial).toBeFocused();
  await expect(trial).toBeInViewport();
  await expect(rowOf(page, 'distance').getByRole('button')).toHaveCount(0);
  const form = row.getByRole('form');
  await expect(form).toContainText('Free to use');
  await run(row).click();
  const query = form.getByRole('textbox', { name: /^query/i });
  await expect(query).toBeFocused();
  await expect(query).toHaveAccessibleDescription(/Required/);
  await query.fill('Zurich');
  await run(row).click();
  const result = row.getByRole('region', { name: /^Result of/ });
  await expect(result).toBeFocused();
  await expect(result).toContainText('Done');
  await expect(result).toContainText('ZRH');
  await expectNoAxeFindings(page);
  // counted, but not a proof that the link works
  await page.waitForResponse(
    async (answer) =>
      answer.url().includes('/usage-stats') && (await answer.json()).data.usageByMcp[0]?.answeredToolCalls === 1,
  );
  await expect(page.getByText('Waiting for the first call')).toBeVisible();
  // the same values as JSON, and back as a form
  await form.getByRole('button', { name: 'Enter JSON', exact: true }).click();
  const json = form.getByRole('textbox', { name: 'Arguments as JSON', exact: true });
  await expect(json).toHaveValue(/"query": "Zurich"/);
  await json.fill('["no object"]');
  await run(row).click();
  await expect(json).toHaveAccessibleDescription('Enter a JSON object.');
  await json.fill('{ "query": "Reykjavik", "limit": 1 }');
  await run(row).click();
  await expect(result).toContainText('KEF');
  await form.getByRole('button', { name: 'Use the form', exact: true }).click();
  await expect(query).toHaveValue('Reykjavik');
  await row.getByRole('button', { name: 'Close', exact: true }).click();
  const again = row.getByRole('button', { name: /^Try it/ });
  await expect(again).toBeFocused();
  await page.keyboard.press('Enter');
  await expect(trial).toBeFocused();
});

test('a tool with a price shows its cost, is refused without credits, and is charged once it responds', async ({
  page,
}) => {
  await openSignedIn(page, '/service/travel', 'tries-paid@souk.test');
  let row = await tryTool(page, 'distance');
  const cost = row.getByText(/^Costs 1 credit/);
  await expect(cost).toHaveText('Costs 1 credit, you have 0. Get credits');
  await fill(row, { from: 'ZRH', to: 'LHR' });
  await run(row).click();
  const result = row.getByRole('region', { name: /^Result of/ });
  await expect(result.getByRole('alert'), 'its link is next to the cost').toHaveText('Needs 1 credit, 0 left.');
  await cost.getByRole('link', { name: 'Get credits', exact: true }).click();
  await page.getByRole('button', { name: 'Buy credits in the Starter package', exact: true }).click();
  await payAndReturn(page);
  await page.goto('/service/travel');
  row = await tryTool(page, 'distance');
  await expect(cost).toHaveText('Costs 1 credit, you have 500');
  await fill(row, { from: 'ZRH', to: 'LHR' });
  await run(row).click();
  await expect(result).toContainText('1 credit, 499 left');
  await expect(cost).toHaveText('Costs 1 credit, you have 499');
  const readCalls = () =>
    page.evaluate(async () => {
      const { accessToken } = JSON.parse(localStorage.getItem('souk.tokens') ?? '{}');
      const headers = { authorization: `Bearer ${accessToken}` };
      const { id } = await (await fetch('/v2/user/profile', { headers })).json();
      return (await (await fetch(`/api/users/${id}/calls`, { headers })).json()).calls;
    });
  // a call is in the log once it is charged
  await expect.poll(readCalls).toMatchObject([
    { client: { name: 'This website' }, serverId: 'travel', name: 'distance', outcome: 'ok', credits: 1 },
    { client: { name: 'This website' }, outcome: 'refused', reason: 'insufficient_credits', credits: 0 },
  ]);
  // the balance is sufficient: buying more would not help
  await page.evaluate(async () => {
    const { accessToken } = JSON.parse(localStorage.getItem('souk.tokens') ?? '{}');
    const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };
    const { id } = await (await fetch('/v2/user/profile', { headers })).json();
    const body = JSON.stringify({ monthlyCap: 1 });
    await fetch(`/api/users/${id}/spend-cap`, { method: 'PUT', headers, body });
  });
  await page.goto('/service/travel');
  row = await tryTool(page, 'distance');
  await expect(cost).toHaveText('Costs 1 credit, your monthly limit leaves 0. Change the limit');
  await cost.getByRole('link', { name: 'Change the limit', exact: true }).click();
  await expect(page.getByRole('heading', { name: 'Monthly limit', exact: true })).toBeVisible();
});

test('a tool shows its progress, asks its questions inline, and can be canceled', async ({ page }) => {
  await openSignedIn(page, '/service/everything', 'tries-everything@souk.test');
  const asking = await tryTool(page, 'trigger-elicitation-request');
  await run(asking).click();
  const question = asking.getByRole('region', { name: 'Everything asks', exact: true });
  await expect(question.getByRole('heading')).toBeFocused();
  await question.getByRole('button', { name: 'Send answer', exact: true }).click();
  await expect(question.getByRole('textbox', { name: 'String', exact: true })).toBeFocused();
  await question.getByRole('textbox', { name: 'String', exact: true }).fill('Ann Example');
  await question.getByRole('combobox', { name: /^Titled Single/ }).selectOption({ label: 'Wonder Woman' });
  await expectNoAxeFindings(page);
  await question.getByRole('button', { name: 'Send answer', exact: true }).click();
  await expect(asking).toContainText('Name: Ann Example');
  await expect(asking).toContainText('hero-3');
  await expect(question).toHaveCount(0);

  const opening = await tryTool(page, 'trigger-url-elicitation');
  await fill(opening, { url: 'https://pages.test/terms' });
  await run(opening).click();
  const page2 = opening.getByRole('link', { name: /^Open pages.test/ });
  await expect(page2).toHaveAttribute('href', 'https://pages.test/terms');
  await expect(page2).toHaveAttribute('rel', /noopener/);
  await opening.getByRole('button', { name: 'Decline', exact: true }).click();
  await expect(opening.getByRole('region', { name: /^Result of/ })).toContainText(/declined/i);

  const long = await tryTool(page, 'trigger-long-running-operation');
  await fill(long, { duration: '50', steps: '100' });
  await run(long).click();
  await expect(long.getByRole('progressbar')).toBeVisible();
  await expect(long).toContainText(/\d of 100/);
  let cancellations = 0;
  page.on('request', (request) => (cancellations += Number(request.method() === 'DELETE')));
  await long.getByRole('button', { name: 'Cancel', exact: true }).dblclick();
  await expect(long.getByRole('region', { name: /^Result of/ })).toContainText('The call was canceled.');
  expect(cancellations).toBe(1);
});

/** Tools and results of a hostile server. */
const script = '<img src=x onerror="window.ranHostile=1"><script>window.ranHostile=1</script>';
const hostileSchema = {
  type: 'object',
  properties: {
    [script]: { type: 'string', title: script, description: script.repeat(20), pattern: '^(a+)+$' },
    ['x'.repeat(400)]: { type: 'integer', description: 'y'.repeat(2000) },
    loop: { $ref: '#/properties/loop' },
    deep: { type: 'object', properties: { deep: { $ref: '#/properties/deep' } } },
    constructor: { enum: [script, 2, null, { a: 1 }] },
    odd: 7,
  },
  required: ['constructor', 5],
};
const hostileResult: RunEvent = {
  type: 'result',
  isError: false,
  durationMs: 1,
  facts: {},
  content: [
    {
      type: 'text',
      text: `# ${script}\n\n[bank](javascript:window.ranHostile=1) [pay](https://evil.test/x) ![](https://evil.test/p.png) ${'z'.repeat(900)}`,
    },
    { type: 'image', mimeType: 'image/svg+xml', data: btoa(`<svg onload="window.ranHostile=1">`) },
    { type: 'image', mimeType: 'image/png', data: '" onerror="window.ranHostile=1' },
    { type: 'audio', mimeType: 'text/html', data: btoa(script) },
    { type: 'resource_link', uri: 'javascript:window.ranHostile=1', name: script },
    { type: 'resource', resource: { uri: `data:text/html,${script}`, mimeType: 'text/html', text: script } },
    { type: script },
    'no block',
  ],
  structuredContent: { [script]: script },
};

test('names, schemas and results of a hostile server never run, send requests, or break the page', async ({ page }) => {
  await changeCatalogue(page, (catalogue) => ({
    ...catalogue,
    capabilities: catalogue.capabilities.map((tool) =>
      tool.name === 'find_airports'
        ? { ...tool, displayName: script, displayDescription: script, inputSchema: hostileSchema }
        : tool,
    ),
  }));
  const events: RunEvent[] = [{ type: 'started', callId: 'hostile' }, hostileResult];
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  await routeNow(page, '**/api/tool-runs', (route) => route.fulfill({ contentType: 'text/event-stream', body }));
  const outside: string[] = [];
  page.on('request', (request) => {
    if (!request.url().startsWith('http://localhost:') && !request.url().startsWith('data:'))
      outside.push(request.url());
  });
  await openSignedIn(page, '/service/travel', 'tries-hostile@souk.test');
  const row = await tryTool(page, 'find_airports');
  // a property name of every object's prototype is not an error
  await expect(row.getByRole('form')).toBeVisible();
  await expect(row.locator('[aria-invalid]')).toHaveCount(0);
  await row.getByRole('combobox').selectOption({ index: 1 });
  await run(row).click();
  const result = row.getByRole('region', { name: /^Result of/ });
  await expect(result).toContainText('Done');
  await expect(result.getByRole('link')).toHaveCount(2);
  await expect(result.getByRole('link', { name: /^pay/ })).toHaveAttribute('rel', 'noreferrer');
  await expect(result).toContainText('pay (opens a new tab) (evil.test)');
  await expect(result.locator('img, audio, script, svg[onload]')).toHaveCount(0);
  for (const width of [390, 1280]) {
    await page.setViewportSize({ width, height: 844 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(width);
  }
  expect(await page.evaluate('window.ranHostile')).toBeUndefined();
  expect(outside).toEqual([]);
  await expectNoAxeFindings(page);
});

test('a result in Markdown is formatted, or shown as it is if the program for that cannot be fetched', async ({
  page,
}) => {
  const text =
    '# Fares\n\n1. Zurich\n   - **KEF** in *May*\n   - [KEF](https://air.test/kef)\n\n| Day | Price |\n|---|---:|\n| 1 | 9 |';
  const events: RunEvent[] = [
    { type: 'started', callId: 'markdown' },
    { type: 'result', isError: false, durationMs: 1, facts: {}, content: [{ type: 'text', text }] },
  ];
  const body = events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join('');
  await routeNow(page, '**/api/tool-runs', (route) => route.fulfill({ contentType: 'text/event-stream', body }));
  const missing = await routeNow(page, '**/assets/markdown-*.js', (route) => route.abort());
  await openSignedIn(page, '/service/travel', 'tries-markdown@souk.test');
  const failed = page.waitForEvent('requestfailed', (request) => request.url().includes('/assets/markdown-'));
  const result = await runFindAirports(page);
  await failed;
  await result.getByRole('button', { name: 'Show as plain text', exact: true }).click();
  await result.getByRole('button', { name: 'Show formatted', exact: true }).click();
  await expect(result.getByRole('figure', { name: 'Text', exact: true })).toContainText('| 1 | 9 |');
  await expect(result.getByRole('list')).toHaveCount(0);

  await missing();
  await page.goto('/service/travel');
  await runFindAirports(page);
  const inner = result.getByRole('list').getByRole('list').getByRole('listitem');
  await expect(inner).toHaveText(['KEF in May', /^KEF \(opens a new tab\) \(air\.test\)$/]);
  await expect(result.getByRole('table').getByRole('cell')).toHaveText(['1', '9']);
  await expectNoAxeFindings(page);
});

async function runFindAirports(page: Page) {
  const row = await tryTool(page, 'find_airports');
  await fill(row, { query: 'Zurich' });
  await run(row).click();
  return row.getByRole('region', { name: /^Result of/ });
}
