// npm run screenshots [-- name …]: writes docs/screenshots, every public screen and state at two widths, light and dark.
import { mkdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { chromium, type Page } from '@playwright/test';
import { browserArguments, browserPath } from '../e2e/browser.ts';
import { startProduct } from '../e2e/product.ts';
import { untilAllConnected } from '../e2e/until-all-connected.ts';

const folder = join(import.meta.dirname, '../docs/screenshots');
const widths = [1280, 390];
const themes = ['light', 'dark'] as const;
const servers = '**/api/catalogue/servers**';
const refused = { success: false, code: 'unexpected', message: 'An unexpected error occurred' };

type Shot = {
  name: string;
  path: string;
  /** Called before the page is opened. */
  prepare?: (page: Page) => Promise<unknown>;
  /** Called once the screen is shown. */
  done?: (page: Page) => Promise<unknown>;
};

const openPalette = async (page: Page, text: string) => {
  await page.keyboard.press('Control+k');
  const field = page.getByRole('dialog').getByRole('combobox');
  await field.fill(text);
  await page.getByRole('dialog').getByRole('option').first().waitFor();
};

const shots: Shot[] = [
  { name: 'home', path: '/' },
  { name: 'marketplace', path: '/marketplace' },
  { name: 'marketplace-search', path: '/marketplace?q=travel' },
  { name: 'marketplace-nothing-found', path: '/marketplace?q=zeppelin' },
  { name: 'marketplace-live', path: '/marketplace?view=live' },
  {
    name: 'marketplace-loading',
    path: '/marketplace',
    prepare: (page) => page.route(servers, () => {}),
    done: async (page) => {
      await page.getByTestId('server-placeholders').waitFor();
      // they appear after 200 ms
      await page.waitForTimeout(500);
    },
  },
  {
    name: 'marketplace-failed',
    path: '/marketplace',
    prepare: (page) => page.route(servers, (route) => route.fulfill({ status: 500, json: refused })),
    done: (page) => page.getByRole('button', { name: 'Retry' }).waitFor(),
  },
  { name: 'service', path: '/service/travel' },
  { name: 'service-to-rent', path: '/service/travel-pro' },
  { name: 'service-not-found', path: '/service/unknown' },
  { name: 'plans', path: '/plans' },
  { name: 'about', path: '/about' },
  { name: 'contact', path: '/contact' },
  { name: 'sign-in', path: '/sign-in' },
  { name: 'palette', path: '/', done: (page) => openPalette(page, 'air') },
  { name: 'not-found', path: '/nowhere' },
  {
    name: 'error',
    path: '/',
    // a screen whose script fails to load
    prepare: (page) => page.route('**/assets/about-screen-*.js', (route) => route.abort()),
    done: async (page) => {
      await page.getByRole('contentinfo').getByRole('link', { name: 'About' }).click();
      await page.getByRole('heading', { name: 'Unexpected Application Error!' }).waitFor();
    },
  },
  { name: 'maintenance', path: '/auth-shim' },
];

const asked = process.argv.slice(2);
const chosen = shots.filter(({ name }) => asked.length === 0 || asked.includes(name));
if (asked.length === 0) await rm(folder, { recursive: true, force: true });
await mkdir(folder, { recursive: true });
// the pictures show the default address
const product = await startProduct({ port: Number(process.env['PORT'] ?? 3000) });
const browser = await chromium.launch({ executablePath: await browserPath(), args: browserArguments });
let bytes = 0;
try {
  await untilAllConnected(product.publicUrl);
  for (const shot of chosen)
    for (const width of widths) for (const theme of themes) bytes += await take(shot, width, theme);
} finally {
  await browser.close();
  await product.kill('SIGTERM');
  await rm(product.dataDir, { recursive: true, force: true });
}
console.log(`${chosen.length * widths.length * themes.length} pictures, ${Math.round(bytes / 1024)} KiB`);

/** @returns the size of the picture in bytes */
async function take(
  { name, path, prepare, done }: Shot,
  width: number,
  theme: (typeof themes)[number],
): Promise<number> {
  const context = await browser.newContext({
    baseURL: product.publicUrl,
    viewport: { width, height: width > 600 ? 900 : 844 },
    colorScheme: theme,
    reducedMotion: 'reduce',
    locale: 'en-US',
    timezoneId: 'UTC',
  });
  const page = await context.newPage();
  await prepare?.(page);
  await page.goto(path);
  await page.locator('[data-shell]').waitFor({ state: 'detached' });
  await page.getByRole('heading', { level: 1 }).first().waitFor({ state: 'attached' });
  if (done) await done(page);
  else await page.waitForLoadState('networkidle');
  await page.evaluate('document.fonts.ready.then(() => {})');
  const file = join(folder, `${name}-${width}-${theme}.jpg`);
  await page.screenshot({ path: file, type: 'jpeg', quality: 70, animations: 'disabled' });
  await context.close();
  return (await stat(file)).size;
}
