import { expect, test } from 'vitest';
import type { HandOffQuestion } from './hand-off.ts';
import { signOutKey } from '../session/session-storage.ts';
import { createScriptedBrowser, signedIn, until } from '../testing/scripted-browser.ts';

const carl = 'carl@souk.test';
const mallory = 'mallory@souk.test';
const hint = (email: string) => JSON.stringify({ email, displayName: 'Anybody' });

const here = { isOfThisBrowser: true };

/** Opens a tab that left for a sign-in. */
async function leave(path = '/marketplace') {
  const browser = createScriptedBrowser();
  const tab = browser.openTab();
  void tab.session.startSignIn(path);
  await until(() => tab.left.length > 0);
  return { browser, tab };
}

function questionOf(answer: string | HandOffQuestion): HandOffQuestion {
  if (typeof answer === 'string') throw new Error(`continued to ${answer} without a question`);
  return answer;
}

test('[SIGN-28] [SIGN-35] [SIGN-36] a ticket of this browser signs in, and returns to where the sign-in began; the profile says who the user is', async () => {
  const { browser, tab } = await leave();
  const ticket = browser.ticketOf(carl, here);
  const user = JSON.stringify({ email: 'CARL@souk.test', displayName: 'The Administrator', role: 'admin' });
  expect(await tab.session.openHandOff({ token: ticket, user })).toBe('/marketplace');
  expect(Object.fromEntries(browser.tokenRequests().at(-1)?.form ?? [])).toEqual({
    grant_type: 'urn:souk:grant:handoff',
    client_id: 'frontend',
    token: ticket,
  });
  expect(tab.session.getState().user).toMatchObject({ email: carl, displayName: 'Carl Coder' });
  expect([...tab.temporary]).toEqual([]);
  expect(browser.local.has(signOutKey)).toBe(false);
});

test('[SIGN-29] both parameters are required', async () => {
  const { session } = createScriptedBrowser().openTab();
  for (const address of [
    { token: null, user: hint(carl) },
    { token: 'a', user: null },
    { token: '', user: '' },
  ]) {
    await expect(session.openHandOff(address)).rejects.toThrow(/^Missing authentication parameters$/);
  }
});

test('[SIGN-37] a hint that names another user, or none, is refused, and the sign-in ended', async () => {
  for (const user of [hint(mallory), '{"id":"somebody"}', '{}', '{not json', '[]', 'null', '{"email":3}']) {
    const { browser, tab } = await leave();
    const opening = tab.session.openHandOff({ token: browser.ticketOf(carl, here), user });
    await expect(opening, user).rejects.toThrow('The account in this link is not the one that signed in.');
    expect(tab.session.getState().user).toBeUndefined();
    expect(browser.hasCookie(), 'nothing to restore').toBe(false);
  }
});

test('[SIGN-38] with a ticket of another browser the user is asked, and yes signs in', async () => {
  const browser = createScriptedBrowser();
  browser.isKnownVisitor();
  const { session } = browser.openTab();
  const question = questionOf(await session.openHandOff({ token: browser.ticketOf(carl), user: hint(carl) }));
  expect(question).toMatchObject({ email: carl, currentEmail: undefined });
  expect(session.getState()).toEqual({ user: undefined, isRestoring: false });
  expect(await question.accept()).toBe('/dashboard');
  expect(session.getState().user?.email).toBe(carl);
  expect(browser.local.has(signOutKey)).toBe(false);
});

test('[SIGN-38] a sign-in that was started here proves nothing about a ticket: any site can start one', async () => {
  const { browser, tab } = await leave();
  const question = questionOf(await tab.session.openHandOff({ token: browser.ticketOf(carl), user: hint(carl) }));
  expect(question.email).toBe(carl);
});

test('no ends the offered sign-in at the broker', async () => {
  const browser = createScriptedBrowser();
  const { session } = browser.openTab();
  const question = questionOf(await session.openHandOff({ token: browser.ticketOf(mallory), user: hint(mallory) }));
  await question.decline();
  expect(browser.hasCookie()).toBe(false);
  expect(browser.local.size).toBe(0);
});

test('an unanswered question signs no user in: the next start ends it', async () => {
  const browser = createScriptedBrowser();
  await browser.openTab().session.openHandOff({ token: browser.ticketOf(mallory), user: hint(mallory) });
  expect(browser.hasCookie()).toBe(true);
  const next = browser.openTab();
  await next.session.start();
  expect(next.session.getState()).toEqual({ user: undefined, isRestoring: false });
  expect(browser.hasCookie()).toBe(false);
});

test("another user's ticket does not affect the signed-in user, and yes starts a new sign-in", async () => {
  const { browser } = await signedIn();
  const tab = browser.openTab();
  const before = browser.hasCookie();
  const question = questionOf(await tab.session.openHandOff({ token: browser.ticketOf(mallory), user: hint(mallory) }));
  expect(question).toMatchObject({ email: mallory, currentEmail: carl });
  await question.decline();
  expect(tab.session.getState().user?.email).toBe(carl);
  browser.pass(3_600_000);
  expect(await tab.session.token(), 'the cookie is still the old one').toBeDefined();
  expect(browser.hasCookie()).toBe(before);

  void question.accept();
  await until(() => tab.left.length > 0);
  const login = new URL(tab.left[0] ?? '');
  expect(login.pathname).toBe('/login');
  expect(login.searchParams.get('prompt'), 'otherwise the current user would be signed in again').toBe('login');
});

test('a ticket of this browser replaces the signed-in user', async () => {
  const { browser } = await signedIn();
  const { session } = browser.openTab();
  const token = browser.ticketOf(mallory, here);
  expect(await session.openHandOff({ token, user: hint(mallory) })).toBe('/dashboard');
  browser.pass(3_600_000);
  expect(await session.token(), 'the cookie is the new one').toBeDefined();
  expect(session.getState().user?.email).toBe(mallory);
});

test('a ticket of the user who is already signed in asks nothing', async () => {
  const { browser } = await signedIn();
  const { session } = browser.openTab();
  expect(await session.openHandOff({ token: browser.ticketOf(carl), user: hint(carl) })).toBe('/dashboard');
});

test("a used ticket shows the broker's message, and leaves no trace", async () => {
  const browser = createScriptedBrowser();
  const { session } = browser.openTab();
  const opening = session.openHandOff({ token: 'used', user: hint(carl) });
  await expect(opening).rejects.toThrow(/^Token exchange failed: ticket used$/);
  expect(browser.local.size).toBe(0);
});

test('a ticket that is submitted twice is swapped once', async () => {
  const { browser, tab } = await leave();
  const address = { token: browser.ticketOf(carl, here), user: hint(carl) };
  expect(await Promise.all([tab.session.openHandOff(address), tab.session.openHandOff(address)])).toEqual([
    '/marketplace',
    '/marketplace',
  ]);
});
