import { expect, type Page } from '@playwright/test';

const probePath = '/is-routed';

/** The test ended while the call was under way. Playwright would count its failure to the next test. */
const isOver = (error: unknown) => /Test ended|disposed|closed/.test(String(error));

/**
 * `page.route`, in force when it resolves. An open page may send its next calls past a route that was just made, because its
 * process hears of it later than we: so the page calls an address of ours until the call is answered here.
 * @returns how to let the calls through again
 */
export async function routeNow(
  page: Page,
  ...[url, handle, options]: Parameters<Page['route']>
): Promise<() => Promise<void>> {
  // screens ask again and again, also while the test ends
  const handleInTest: typeof handle = async (route, request) => {
    try {
      await handle(route, request);
    } catch (error) {
      if (!isOver(error)) throw error;
    }
  };
  await page.route(url, handleInTest, options);
  const end = () => page.unroute(url, handleInTest);
  if (page.url() === 'about:blank') return end;
  const probe = `**${probePath}`;
  await page.route(probe, (asked) => asked.fulfill({ status: 204 }));
  const ask = (path: string) =>
    fetch(path).then(
      ({ status }) => status,
      () => 0,
    );
  await expect.poll(() => page.evaluate(ask, probePath)).toBe(204);
  await page.unroute(probe);
  return end;
}
