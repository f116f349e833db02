import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openSignInPopup, PopupBlockedError, type PopupHost, type PopupWindow } from './popup-window.ts';

const origin = 'https://souk.example';
const frame = { left: 100, top: 50, width: 1200, height: 900 };
const success = { type: 'souk:sign-in', success: true };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** Opens a popup on the page of a foreign site, and records what happens to it. */
function openPopup({ blocked = false, to = 'souk' as 'souk' | 'server' } = {}) {
  const wentTo: string[] = [];
  const opened: string[][] = [];
  const asked: number[] = [];
  let address: string | undefined;
  let hear: (message: { origin: string; data: unknown }) => void = () => {};
  const stored = new Map<string, string>();
  const popup: PopupWindow = {
    closed: false,
    document: { URL: 'about:blank', readyState: 'complete' },
    sessionStorage: {
      getItem: (key) => stored.get(key) ?? null,
      setItem: (key, value) => void stored.set(key, value),
      removeItem: (key) => void stored.delete(key),
    },
    close: () => void (popup.closed = true),
    focus: () => {},
    opener: 'this page',
    location: {
      get href() {
        asked.push(Date.now());
        if (address === undefined) throw new Error('another origin');
        return address;
      },
      set href(next) {
        wentTo.push(next);
      },
    },
  };
  const host: PopupHost = {
    origin,
    frame,
    open: (...call) => (opened.push(call), blocked ? null : popup),
    listen: (onMessage) => ((hear = onMessage), () => (hear = () => {})),
  };
  const isDone = ({ pathname }: URL) => pathname === '/auth/success' || pathname === '/auth/callback';
  const end: { by?: string; error?: string } = {};
  const signIn = openSignInPopup(to, host);
  signIn.wait(to === 'souk' ? { isDone } : {}).then(
    (by) => (end.by = by),
    (error: Error) => (end.error = error.message),
  );
  return {
    popup,
    signIn,
    stored,
    wentTo,
    opened,
    asked,
    end,
    goTo: (next: string | undefined) => (address = next),
    say: (from: string, data: unknown) => hear({ origin: from, data }),
  };
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('[SIGN-46] the popup is 600x700, centered over the window', () => {
  expect(openPopup().opened).toEqual([
    ['/sign-in/window', 'souk-sign-in', 'popup,width=600,height=700,left=400,top=150'],
  ]);
});

test('[SIGN-51] a blocked popup is a separate error', () => {
  const open = () => openPopup({ blocked: true });
  expect(open).toThrow(PopupBlockedError);
  expect(open).toThrow(/^Failed to open OAuth popup window\. Please allow popups for this site\.$/);
});

test('a window first shows a page of ours, and continues once it is loaded, marked with its sign-in', async () => {
  const { signIn, popup, stored, wentTo } = openPopup({ to: 'server' });
  signIn.goTo('https://auth.example/authorize', 'the-state');
  // WebKit would cut it off from us
  await pass(1_000);
  expect(wentTo, 'from an empty page').toEqual([]);
  popup.document = { URL: `${origin}/sign-in/window`, readyState: 'loading' };
  await pass(1_000);
  expect(wentTo, 'before it is loaded').toEqual([]);
  popup.document.readyState = 'interactive';
  await pass(50);
  expect(wentTo).toEqual(['https://auth.example/authorize']);
  expect([...stored.values()]).toEqual(['the-state']);

  const slow = openPopup();
  slow.signIn.goTo('/sign-in', 'next');
  await pass(9_950);
  expect(slow.wentTo).toEqual([]);
  await pass(50);
  expect(slow.wentTo, 'not forever').toEqual(['/sign-in']);
  const gone = openPopup();
  gone.popup.close();
  gone.signIn.goTo('/sign-in', 'next');
  await pass(11_000);
  expect(gone.wentTo).toEqual([]);
});

test('[SIGN-48] a success message of our own origin resolves, and closes the window', async () => {
  const { end, say, popup } = openPopup();
  say('https://evil.example', success);
  say(origin, { type: 'souk:sign-in' });
  say(origin, 'success');
  await pass(0);
  expect(end).toEqual({});
  say(origin, success);
  await pass(0);
  expect(end).toEqual({ by: 'message' });
  expect(popup.closed).toBe(true);
});

test('[SIGN-47] [SIGN-49] its address is checked every second, and a success or callback address resolves', async () => {
  for (const path of ['/auth/callback?code=1', '/auth/success?token=1&user=2']) {
    const { end, goTo, asked } = openPopup();
    const start = Date.now();
    await pass(3_000);
    expect(asked.map((at) => at - start)).toEqual([1_000, 2_000, 3_000]);
    goTo('about:blank');
    await pass(1_000);
    goTo(`https://evil.example${path}`);
    await pass(1_000);
    expect(end).toEqual({});
    goTo(origin + path);
    await pass(999);
    expect(end).toEqual({});
    await pass(1);
    expect(end).toEqual({ by: 'address' });
  }
});

test('[SIGN-50] 5 seconds after the window closes it resolves, unless its success comes first', async () => {
  const closed = openPopup();
  closed.popup.close();
  await pass(1_000 + 4_999);
  expect(closed.end).toEqual({});
  await pass(1);
  expect(closed.end).toEqual({ by: 'closed' });

  const late = openPopup();
  late.popup.close();
  await pass(3_000);
  late.say(origin, success);
  await pass(0);
  expect(late.end).toEqual({ by: 'message' });
});

test('[SIGN-52] after 5 minutes it rejects, and closes the window', async () => {
  const { end, popup, asked } = openPopup();
  await pass(299_999);
  expect(end).toEqual({});
  await pass(1);
  expect(end).toEqual({ error: 'OAuth authorization timed out after 5 minutes' });
  expect(popup.closed).toBe(true);
  popup.closed = false;
  const looks = asked.length;
  await pass(10_000);
  expect(asked, 'it is no longer checked').toHaveLength(looks);
});

test('pages of a server cannot access the page that opened their window, and our own pages can', () => {
  expect([openPopup({ to: 'server' }).popup.opener, openPopup().popup.opener]).toEqual([null, 'this page']);
});

test('a window at a server is not ended by a sign-in of our own, or by its address', async () => {
  const { end, say, goTo, popup } = openPopup({ to: 'server' });
  say(origin, success);
  goTo(`${origin}/auth/callback?code=1`);
  await pass(3_000);
  expect(end).toEqual({});
  popup.close();
  await pass(6_000);
  expect(end).toEqual({ by: 'closed' });
});
