import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { openSignInPopup, PopupBlockedError, type PopupHost, type PopupWindow } from './popup-window.ts';

const origin = 'https://souk.example';
const frame = { left: 100, top: 50, width: 1200, height: 900 };
const success = { type: 'souk:sign-in', success: true };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A popup on the page of a foreign site, and what happens to it. */
function openPopup({ blocked = false, url = '/sign-in' } = {}) {
  const wentTo: string[] = [];
  const opened: string[][] = [];
  const asked: number[] = [];
  let address: string | undefined;
  let hear: (message: { origin: string; data: unknown }) => void = () => {};
  const popup: PopupWindow = {
    closed: false,
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
  const signIn = openSignInPopup(url, host);
  signIn.wait({ isDone }).then(
    (by) => (end.by = by),
    (error: Error) => (end.error = error.message),
  );
  return {
    popup,
    signIn,
    wentTo,
    opened,
    asked,
    end,
    goTo: (next: string | undefined) => (address = next),
    say: (from: string, data: unknown) => hear({ origin: from, data }),
  };
}
const pass = (ms: number) => vi.advanceTimersByTimeAsync(ms);

test('[SIGN-46] the popup is 600x700, over the middle of the window', () => {
  expect(openPopup().opened).toEqual([['/sign-in', 'souk-sign-in', 'popup,width=600,height=700,left=400,top=150']]);
});

test('[SIGN-51] a blocked popup is an error of its own', () => {
  const open = () => openPopup({ blocked: true });
  expect(open).toThrow(PopupBlockedError);
  expect(open).toThrow(/^Failed to open OAuth popup window\. Please allow popups for this site\.$/);
});

test('a window that is opened before its address is known goes there later', () => {
  const { signIn, opened, wentTo } = openPopup({ url: '' });
  expect(opened[0]?.[0]).toBe('');
  expect(wentTo).toEqual([]);
  signIn.goTo('https://auth.example/authorize');
  expect(wentTo).toEqual(['https://auth.example/authorize']);
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

test('[SIGN-47] [SIGN-49] its address is looked at every second, and a success or callback address resolves', async () => {
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
  const { end, popup } = openPopup();
  await pass(299_999);
  expect(end).toEqual({});
  await pass(1);
  expect(end).toEqual({ error: 'OAuth authorization timed out after 5 minutes' });
  expect(popup.closed).toBe(true);
  expect(vi.getTimerCount()).toBe(0);
});

test('pages of a server get no way to the page that opened their window, and our own keep theirs', () => {
  expect([openPopup({ url: '' }).popup.opener, openPopup().popup.opener]).toEqual([null, 'this page']);
});
