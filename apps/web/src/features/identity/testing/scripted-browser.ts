import { createHash, randomBytes } from 'node:crypto';
import { createSession, type Session } from '../session/session.ts';
import type { KeyValueStore } from '../session/session-storage.ts';

export const origin = 'https://souk.example';

/**
 * A browser without a DOM, and the broker's sign-in with its real rules: the refresh token is in a cookie that scripts
 * cannot read and is valid once, and a used one ends the sign-in, unless the renewal that used it retries.
 */
export function createScriptedBrowser() {
  let nowMs = Date.parse('2026-03-01T12:00:00Z');
  let issued = 0;
  /** The cookie jar, as the broker remembers it. */
  let cookie: { token: string; handle: string } | undefined;
  /** Renewal that used a token, and its successor, by used token. */
  const used = new Map<string, { renewal: string | null; next: string }>();
  let losesAnswer = false;
  const accessTokens = new Map<string, string>();
  const tickets = new Map<string, { owner: string; isOfThisBrowser: boolean }>();
  const requests: { path: string; form: URLSearchParams; init: RequestInit }[] = [];
  const local = new Map<string, string>();
  const tabs: Session[] = [];
  let queue: Promise<unknown> = Promise.resolve();
  let answerWith:
    | ((path: string, form: URLSearchParams) => Response | undefined | Promise<Response | undefined>)
    | undefined;
  let email = 'carl@souk.test';
  let knownVisitor = false;

  function issue(handle: string, { owner = email, plantsCookie = true, more = {} } = {}): Response {
    issued += 1;
    const accessToken = `access-${issued}`;
    if (plantsCookie) cookie = { token: `refresh-${issued}`, handle };
    accessTokens.set(accessToken, owner);
    return Response.json({ accessToken, refreshToken: handle, expiresIn: 600, ...more });
  }

  function answerToken(form: URLSearchParams): Response {
    if (form.get('grant_type') === 'urn:souk:grant:handoff') {
      const ticket = tickets.get(form.get('token') ?? '');
      tickets.delete(form.get('token') ?? '');
      if (ticket === undefined) return new Response('ticket used', { status: 400 });
      const { owner, isOfThisBrowser: sameBrowser } = ticket;
      const plantsCookie = sameBrowser || form.get('keep_sign_in') !== '1';
      return issue(`handle-${issued}`, { owner, plantsCookie, more: { sameBrowser } });
    }
    if (form.get('grant_type') === 'authorization_code') {
      return form.get('code') === 'good-code' ? issue(`handle-${issued}`) : new Response('code used', { status: 400 });
    }
    const handle = form.get('refresh_token');
    const refused = Response.json({ error: 'invalid_grant' }, { status: 400 });
    if (!cookie || (handle !== null && handle !== cookie.handle)) return refused;
    const before = cookie;
    const renewal = form.get('renewal');
    const earlier = used.get(before.token);
    if (earlier && (renewal === null || earlier.renewal !== renewal || used.has(earlier.next))) {
      cookie = undefined;
      return refused;
    }
    const answered = issue(before.handle);
    if (earlier) cookie = { ...before, token: earlier.next };
    else used.set(before.token, { renewal, next: cookie.token });
    if (!losesAnswer) return answered;
    losesAnswer = false;
    cookie = before;
    return Response.error();
  }

  async function answer(url: string, init: RequestInit): Promise<Response> {
    const path = url.slice(origin.length);
    const form = init.body instanceof URLSearchParams ? init.body : new URLSearchParams();
    requests.push({ path, form, init });
    const scripted = await answerWith?.(path, form);
    if (scripted) return scripted;
    if (path === '/oauth/token') {
      const answered = answerToken(form);
      if (answered.type === 'error') throw new TypeError('failed to fetch');
      return answered;
    }
    if (path === '/oauth/logout') {
      cookie = undefined;
      accessTokens.clear();
      return new Response('');
    }
    const bearer = new Headers(init.headers).get('authorization')?.replace('Bearer ', '') ?? '';
    const owner = accessTokens.get(bearer);
    if (owner === undefined) return new Response('', { status: 401, statusText: 'Unauthorized' });
    return Response.json(profileOf(owner));
  }

  /** Opens a new tab of this browser: its own sessionStorage, everything else shared. */
  function openTab() {
    const temporary = new Map<string, string>();
    const left: string[] = [];
    const logged: string[] = [];
    const timers: { work: () => void; atMs: number }[] = [];
    let cookiesCleared = 0;
    const session: Session = createSession({
      origin,
      local: {
        getItem: (key) => local.get(key) ?? null,
        setItem: (key, value) => (local.set(key, value), tellOthers(key)),
        removeItem: (key) => void (local.delete(key) && tellOthers(key)),
      },
      temporary: storeOf(temporary),
      fetch: answer,
      now: () => nowMs,
      randomBytes: (length) => new Uint8Array(randomBytes(length)),
      sha256: async (text) => new Uint8Array(createHash('sha256').update(text).digest()),
      withLock: (work) => {
        const turn = queue.then(work);
        queue = turn.catch(() => undefined);
        return turn;
      },
      leaveTo: (address) => void left.push(address),
      clearCookies: () => void (cookiesCleared += 1),
      mayHaveCookie: () => !knownVisitor,
      startTimer: (work, delayMs) => {
        const timer = { work, atMs: nowMs + delayMs };
        timers.push(timer);
        return () => void timers.splice(timers.indexOf(timer), 1);
      },
      log: (message) => void logged.push(message),
    });
    tabs.push(session);
    function tellOthers(key: string) {
      for (const tab of tabs) if (tab !== session) tab.noticeStorage(key);
    }
    return {
      session,
      temporary,
      left,
      logged,
      timers,
      cookiesCleared: () => cookiesCleared,
      /** Signs in as a user would, and returns the address that the page goes to. */
      async signIn(path = '/marketplace?q=notes'): Promise<string> {
        const before = left.length;
        void session.startSignIn(path);
        await until(() => left.length > before);
        const state = new URL(left.at(-1) ?? '').searchParams.get('state') ?? '';
        return session.completeSignIn(new URLSearchParams({ code: 'good-code', state }));
      },
    };
  }

  return {
    openTab,
    local,
    requests,
    /** Codes that were submitted. */
    exchanges: () => requests.filter(({ form }) => form.get('grant_type') === 'authorization_code'),
    tokenRequests: () => requests.filter(({ path }) => path === '/oauth/token'),
    now: () => nowMs,
    pass: (ms: number) => void (nowMs += ms),
    /** Creates a hand-off ticket of a user, whom the provider sent back to another browser, or to this one. */
    ticketOf(owner: string, { isOfThisBrowser = false } = {}): string {
      const ticket = `ticket-${tickets.size + 1}`;
      tickets.set(ticket, { owner, isOfThisBrowser });
      return ticket;
    },
    /** Sets the user who signs in next. */
    becomes: (next: string) => void (email = next),
    /** Answers a request in the broker's place; undefined leaves it to the broker. */
    answerWith: (script: typeof answerWith) => void (answerWith = script),
    /** Sets the broker's hint that there is no sign-in to restore. */
    isKnownVisitor: () => void (knownVisitor = true),
    /** Makes the broker process the next request without a response: neither cookie nor body. */
    loseAnswer: () => void (losesAnswer = true),
    endAccessTokens: () => accessTokens.clear(),
    dropCookie: () => void (cookie = undefined),
    hasCookie: () => cookie !== undefined,
  };
}

/** A browser with one tab, signed in. */
export async function signedIn() {
  const browser = createScriptedBrowser();
  const tab = browser.openTab();
  await tab.signIn();
  return { browser, tab };
}

function profileOf(email: string) {
  return {
    id: `user-of-${email}`,
    email,
    displayName: 'Carl Coder',
    photoURL: null,
    provider: 'dev',
    planId: 'free',
    planStatus: 'active',
    disabledServers: [],
    createdAt: '2026-01-01T00:00:00.000Z',
    role: 'user',
  };
}

function storeOf(entries: Map<string, string>): KeyValueStore {
  return {
    getItem: (key) => entries.get(key) ?? null,
    setItem: (key, value) => void entries.set(key, value),
    removeItem: (key) => void entries.delete(key),
  };
}

/** Lets pending promises continue until the condition holds. */
export async function until(holds: () => boolean): Promise<void> {
  for (let turn = 0; turn < 1000 && !holds(); turn += 1) await new Promise((resolve) => setImmediate(resolve));
  if (!holds()) throw new Error('the condition never held');
}
