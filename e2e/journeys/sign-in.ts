import { expect, type BrowserContext, type Page } from '@playwright/test';
import { ScriptedBrowser } from '../../apps/broker/src/testing/people/scripted-browser.ts';

/**
 * Signs in like a user: the header's button, the choice of Google, an address typed into its stand-in. Starts on any
 * screen with the header, and has returned there when it resolves.
 */
export async function signIn(page: Page, email: string): Promise<void> {
  await page.getByRole('banner').getByRole('button', { name: 'Sign In', exact: true }).click();
  await chooseAccount(page, email);
  await expect(accountMenu(page)).toBeVisible();
}

/**
 * Opens a screen as a signed-in user, for journeys about something else. The requests are those of a sign-in, sent with
 * this browser's cookies, but no page is rendered, which would take a second of processor time.
 */
export async function openSignedIn(page: Page, path: string, email: string): Promise<void> {
  const context = page.context();
  const { origin } = new URL((await context.request.head('/')).url());
  await new BrowserWithoutPages(origin, context).signInWeb({ email });
  await page.goto(path);
  await expect(accountMenu(page)).toBeVisible();
}

class BrowserWithoutPages extends ScriptedBrowser {
  readonly #context: BrowserContext;

  constructor(publicUrl: string, context: BrowserContext) {
    super(publicUrl);
    this.#context = context;
  }

  override async request(url: string | URL, init?: RequestInit): Promise<Response> {
    return requestIn(this.#context, new URL(url, this.publicUrl), init);
  }
}

/**
 * Sends one request with the cookies of a browser, which stores those that the response sets. Redirects are not
 * followed.
 */
export async function requestIn(
  context: BrowserContext,
  url: URL,
  { method, headers, body }: RequestInit = {},
): Promise<Response> {
  const answer = await context.request.fetch(url.href, {
    method: method ?? 'GET',
    headers: Object.fromEntries(new Headers(headers)),
    ...(body instanceof URLSearchParams && { data: body.toString() }),
    maxRedirects: 0,
  });
  const given = answer.headersArray().filter(({ name }) => name.toLowerCase() !== 'set-cookie');
  const pairs = given.map(({ name, value }): [string, string] => [name, value]);
  return new Response(await answer.text(), { status: answer.status(), headers: pairs });
}

/** Uses the broker's own sign-in pages: chooses Google, then an account. */
export async function chooseAccount(page: Page, email: string): Promise<void> {
  await page.getByRole('button', { name: /Continue with Google/ }).click();
  await page.getByLabel('E-mail address').fill(email);
  await page.getByRole('button', { name: 'Continue', exact: true }).click();
}

/** Returns the button in the header of a signed-in user. */
export function accountMenu(page: Page) {
  return page.getByRole('banner').getByRole('button', { name: /^Account of/ });
}
