import { createServer } from 'node:http';
import type { Page } from '@playwright/test';
import { listenLocally } from '../../apps/broker/src/testing/servers/listen-locally.ts';
import { expect, test as base } from './product-test.ts';
import { accountMenu, chooseAccount, openSignedIn } from './sign-in.ts';

// A page of another site opens our pages in a window and keeps its handle, or is itself in a window that we opened.

const forged = { type: 'souk:sign-in', success: true };

/** A page of another site that records every message and tries to read the page that it opened. */
const foreignPage = `<!doctype html><title>Elsewhere</title><button>Open</button><script>
  window.heard = [];
  window.read = [];
  addEventListener('message', ({ data }) => heard.push(data));
  const reach = (what, look) => { try { read.push(what + ': ' + look()); } catch {} };
  document.querySelector('button').onclick = () => {
    window.opened = open(new URLSearchParams(location.search).get('opens'), 'souk-sign-in', 'popup');
    setInterval(() => {
      opened.postMessage(${JSON.stringify(forged)}, '*');
      // before it has gone anywhere, and once it is cut off, it is a page of nobody
      try { if (opened.location.href === 'about:blank') return; } catch {}
      reach('address', () => opened.location.href);
      reach('storage', () => opened.localStorage.length);
      reach('document', () => opened.document.title);
    }, 20);
  };
</script>`;

const test = base.extend<{ elsewhere: string }>({
  elsewhere: async ({}, use) => {
    const server = createServer((_request, answer) => {
      answer.writeHead(200, { 'content-type': 'text/html' }).end(foreignPage);
    });
    const { port, close } = await listenLocally(server);
    await use(`http://127.0.0.1:${port}/`);
    await close();
  },
});

/** Clicks on the foreign page. Returns the window that it opened at this address of ours. */
async function openFrom(page: Page, elsewhere: string, address: string): Promise<Page> {
  await page.goto(`${elsewhere}?opens=${encodeURIComponent(address)}`);
  const opened = page.waitForEvent('popup');
  await page.getByRole('button', { name: 'Open', exact: true }).click();
  return opened;
}

const seenBy = (page: Page) =>
  page.evaluate(() => ({ heard: Reflect.get(window, 'heard'), read: Reflect.get(window, 'read') }));
const isSevered = (page: Page) => page.evaluate(() => Reflect.get(Reflect.get(window, 'opened'), 'closed'));
const nothing = { heard: [], read: [] };

test('another site that opens our sign-in in a window receives and reads nothing of it, and the user is signed in', async ({
  page,
  product,
  elsewhere,
}) => {
  const popup = await openFrom(page, elsewhere, `${product.publicUrl}/sign-in?return_to=/`);
  await chooseAccount(popup, 'opened-from-elsewhere@souk.test');
  // the window has the name of our sign-in window, but we did not open it: it stays, and the other site loses its
  // handle
  await expect(accountMenu(popup)).toContainText('opened-from-elsewhere');
  await expect(popup).toHaveURL(`${product.publicUrl}/dashboard`);
  await expect.poll(() => isSevered(page)).toBe(true);
  expect(await popup.evaluate(() => window.opener)).toBeNull();
  expect(await seenBy(page)).toEqual(nothing);
});

test('a message of another site about a successful sign-in changes nothing, and one of ours does', async ({
  page,
  product,
  elsewhere,
  context,
}) => {
  await openSignedIn(page, '/', 'not-by-message@souk.test');
  await context.clearCookies();
  // a page of our origin, but not of the web app, which would notice
  await page.goto('/robots.txt');
  const stored = await page.evaluate(() => {
    const entries = { ...localStorage };
    localStorage.clear();
    return entries;
  });
  const popup = await openFrom(page, elsewhere, `${product.publicUrl}/auth/callback?code=none&state=none`);
  await expect(popup.getByText('Authentication Failed', { exact: true })).toBeVisible();
  // written by this page itself, which therefore gets no storage event
  await popup.evaluate((entries) => {
    for (const [key, text] of Object.entries(entries)) localStorage.setItem(key, text);
  }, stored);
  const origins = await popup.evaluate(
    () =>
      new Promise<string[]>((resolve) => {
        const heard: string[] = [];
        addEventListener('message', ({ origin, data }) => {
          if (data?.type === 'souk:sign-in') heard.push(origin);
          if (heard.length === 5) resolve(heard);
        });
      }),
  );
  expect(new Set(origins), 'the messages arrive').toEqual(new Set([new URL(elsewhere).origin]));
  await expect(popup.getByRole('banner').getByRole('button', { name: 'Sign In', exact: true })).toBeVisible();
  await popup.evaluate((message) => window.postMessage(message, window.location.origin), forged);
  await expect(accountMenu(popup)).toContainText('not-by-message');
  expect(await seenBy(page)).toEqual(nothing);
});

test('another site keeps no handle of our screens', async ({ page, product, elsewhere }) => {
  for (const path of ['/', '/marketplace', '/service/notes']) {
    const popup = await openFrom(page, elsewhere, product.publicUrl + path);
    await expect(popup.getByRole('banner')).toBeVisible();
    expect(await isSevered(page), path).toBe(true);
    expect(await popup.evaluate(() => window.opener), path).toBeNull();
    expect(await seenBy(page), path).toEqual(nothing);
    await popup.close();
  }
});

test('the pages of a server, in its sign-in window, cannot navigate our page', async ({ page, elsewhere }) => {
  await openSignedIn(page, '/dashboard', 'opens-a-server@souk.test');
  const services = page.getByRole('region', { name: 'Services that need your account', exact: true });
  const opened = page.waitForEvent('popup');
  await services.getByRole('button', { name: 'Sign in to Notes', exact: true }).click();
  const popup = await opened;
  await expect(popup.getByLabel('Your name')).toBeVisible();
  const opener = await popup.evaluate((address) => {
    const { opener: reached } = window;
    if (reached) Reflect.set(reached, 'location', address);
    return reached === null;
  }, elsewhere);
  expect(opener, 'it has no opener').toBe(true);
  // the page still notices that the sign-in is done
  await popup.getByLabel('Your name').fill('Olive');
  await popup.getByRole('button', { name: 'Allow', exact: true }).click();
  await expect(services).toContainText('Connected');
  if (!popup.isClosed()) await popup.waitForEvent('close');
  await expect(page).toHaveURL(/\/dashboard$/);
});
