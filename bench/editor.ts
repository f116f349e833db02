import { rm } from 'node:fs/promises';
import { parseArgs } from 'node:util';
import { chromium, type Page } from '@playwright/test';
import { browserArguments, browserPath } from '../e2e/browser.ts';
import { openSignedIn } from '../e2e/journeys/sign-in.ts';
import { newDataDir, startProduct } from '../e2e/product.ts';
import { UsageError, type Bench } from './bench.ts';

/** Largest accepted manifest. */
const maxBytes = 256 * 1024;
const letters = 60;
/** Longer tasks are noticeable while typing. */
const limitMs = 50;

/** Measures the page's longest task while typing at the beginning, in the middle and at the end of the largest manifest. */
export const editorBench: Bench = {
  description: 'the longest task of the page while an administrator types in a manifest of 256 KiB',
  usage: 'npm run bench -- editor [--rounds 3]',
  async run(args) {
    const rounds = readRounds(args);
    const dataDir = await newDataDir();
    const product = await startProduct({ dataDir });
    const browser = await chromium.launch({ executablePath: await browserPath(), args: browserArguments });
    try {
      const page = await (await browser.newContext({ baseURL: product.publicUrl })).newPage();
      await openSignedIn(page, '/admin', 'admin@souk.test');
      const text = await stageLargest(page);
      await page.goto('/admin?tab=manifests&id=largest&part=manifest');
      await page.getByText('No problems found').waitFor();
      await proveThatLongTasksAreSeen(page);
      const rows = [];
      for (let round = 1; round <= rounds; round += 1) {
        for (const place of ['beginning', 'middle', 'end'] as const) {
          const longTasks = await typeAt(page, place);
          rows.push({ round, place, letters, longestMs: Math.max(0, ...longTasks), tasksOverLimit: longTasks.length });
        }
      }
      console.table(rows);
      console.log(JSON.stringify({ bench: 'editor', bytes: Buffer.byteLength(text), limitMs, rows }));
      return 0;
    } finally {
      await browser.close();
      await product.kill('SIGTERM');
      await rm(dataDir, { recursive: true, force: true });
    }
  },
};

function readRounds(args: readonly string[]): number {
  const { values } = parseArgs({ args: [...args], options: { rounds: { type: 'string', default: '3' } } });
  const rounds = Number(values.rounds);
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > 100) throw new UsageError('--rounds must be from 1 to 100');
  return rounds;
}

/**
 * Stages a manifest with as many tools as fit into 256 KiB.
 * @returns its text as the editor shows it
 */
async function stageLargest(page: Page): Promise<string> {
  const head = {
    id: 'largest',
    name: 'Largest',
    serviceType: 'mcp',
    version: '1.0.0',
    description: 'As much as a manifest may have.',
    category: 'data',
    connection: { type: 'http', url: 'service:travel' },
  };
  const tools: object[] = [];
  const write = () => JSON.stringify({ ...head, capabilitySnapshot: { tools, prompts: [], resources: [] } }, null, 2);
  const toolOf = (number: number) => ({
    name: `tool_${number}`,
    description: 'Reads what it is asked for. '.repeat(8),
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string', description: 'A text' } },
      required: ['text'],
    },
  });
  while (write().length < maxBytes - 2048 && tools.length < 512) tools.push(toolOf(tools.length));
  const text = write();
  const status = await page.evaluate(async (body) => {
    const { accessToken } = JSON.parse(localStorage.getItem('souk.tokens') ?? '{}');
    const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };
    return (await fetch('/admin/manifests', { method: 'POST', headers, body })).status;
  }, text);
  if (status !== 200) throw new Error(`the manifest was refused with ${status}`);
  return text;
}

/** Checks that the browser reports long tasks, since otherwise their absence would mean nothing. */
async function proveThatLongTasksAreSeen(page: Page): Promise<void> {
  const seenMs: unknown = await page.evaluate(`new Promise((resolve) => {
    new PerformanceObserver((list, observer) => {
      observer.disconnect();
      resolve(list.getEntries()[0].duration);
    }).observe({ type: 'longtask' });
    setTimeout(() => { for (const end = performance.now() + 100; performance.now() < end; ); });
  })`);
  if (!(Number(seenMs) >= 90)) throw new Error(`the browser reported a task of 100 ms as ${String(seenMs)} ms`);
}

/**
 * Types letters into the manifest one by one.
 * @returns tasks of more than 50 ms until the text has been checked
 */
async function typeAt(page: Page, place: 'beginning' | 'middle' | 'end'): Promise<number[]> {
  const editor = page.getByRole('textbox', { name: /^Manifest of / });
  await editor.focus();
  await page.keyboard.press(place === 'beginning' ? 'Control+Home' : 'Control+End');
  if (place === 'beginning') await page.keyboard.press('ArrowDown');
  const pagesUp = place === 'middle' ? 60 : 0;
  for (let up = 0; up < pagesUp; up += 1) await page.keyboard.press('PageUp');
  // a string, because it runs in the page, whose globals are not typed here
  await page.evaluate(`window.longTasks = [];
    new PerformanceObserver((list) => window.longTasks.push(...list.getEntries().map(({ duration }) => duration)))
      .observe({ type: 'longtask' })`);
  for (let letter = 0; letter < letters; letter += 1) await page.keyboard.press('a');
  // the editor checks the text after a pause
  await page.getByText(/^\d+ problems?$/).waitFor();
  await page.keyboard.press('Control+z');
  await page.getByText('No problems found').waitFor();
  const seen: unknown = await page.evaluate('window.longTasks');
  return Array.isArray(seen) ? seen.map((ms) => Math.round(Number(ms))) : [];
}
