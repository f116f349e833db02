import { expect, type Page } from '@playwright/test';

const probePath = '/is-routed';

/** Whether the test ended during the call. Playwright would attribute its failure to the next test. */
const isOver = (error: unknown) => /Test ended|disposed|closed/.test(String(error));

/**
 * Routes like `page.route`, and is in force when it resolves. An open page may send its next calls past a new route,
 * because its process learns of it later than the test: so the page calls one of our addresses until the route answers
 * that call.
 * @returns a function that lets the calls through again
 */
export async function routeNow(
  page: Page,
  ...[url, handle, options]: Parameters<Page['route']>
): Promise<() => Promise<void>> {
  // screens poll, also while the test ends
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
