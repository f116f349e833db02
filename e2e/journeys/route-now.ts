import { expect, type Page } from '@playwright/test';

const probePath = '/is-routed';

/**
 * `page.route`, in force when it resolves. An open page may send its next calls past a route that was just made, because its
 * process hears of it later than we: so the page calls an address of ours until the call is answered here.
 */
export async function routeNow(page: Page, ...route: Parameters<Page['route']>): Promise<void> {
  await page.route(...route);
  if (page.url() === 'about:blank') return;
  const probe = `**${probePath}`;
  await page.route(probe, (asked) => asked.fulfill({ status: 204 }));
  const ask = (path: string) =>
    fetch(path).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(() => page.evaluate(ask, probePath)).toBe(204);
  await page.unroute(probe);
}
