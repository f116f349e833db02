import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';

export type Answer = { status: number; body: Record<string, unknown> };

/** A user who is signed in to the web app and calls the API from their browser. */
export type TestPerson = {
  browser: ScriptedBrowser;
  userId: string;
  /** Makes a call with the web token, the browser's cookies and our Origin. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
};

export async function signInPerson(publicUrl: string, email: string): Promise<TestPerson> {
  const browser = new ScriptedBrowser(publicUrl);
  const { accessToken } = await browser.signInWeb({ email });
  const call: TestPerson['call'] = async (method, path, body, headers = {}) => {
    const answer = await browser.request(path, {
      method,
      headers: {
        authorization: `Bearer ${accessToken}`,
        origin: publicUrl,
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...headers,
      },
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    const parsed: unknown = await answer.json();
    if (typeof parsed !== 'object' || parsed === null) throw new Error(`not an object: ${JSON.stringify(parsed)}`);
    return { status: answer.status, body: { ...parsed } };
  };
  const profile = await call('GET', '/v2/user/profile');
  return { browser, userId: String(profile.body['id']), call };
}

/** Goes through the notes service's consent page as a browser does; returns what the callback page receives. */
export async function consentAtNotes(authUrl: string, form: Record<string, string>): Promise<URLSearchParams> {
  const cookies = new Map<string, string>();
  let at = new URL(authUrl);
  const { origin } = at;
  let init: RequestInit = {};
  for (let hops = 0; hops < 10; hops++) {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const answer = await fetch(at, { ...init, redirect: 'manual', headers: { ...init.headers, cookie } });
    for (const line of answer.headers.getSetCookie()) {
      const [pair = ''] = line.split(';');
      const [name = '', value = ''] = pair.split('=');
      if (value === '') cookies.delete(name);
      else cookies.set(name, value);
    }
    const location = answer.headers.get('location');
    if (location === null) {
      if (!answer.ok || init.method === 'POST')
        throw new Error(`no consent page: ${answer.status} ${await answer.text()}`);
      init = { method: 'POST', body: new URLSearchParams(form), headers: { origin } };
      continue;
    }
    at = new URL(location, at);
    if (at.origin !== origin) return at.searchParams;
    init = {};
  }
  throw new Error('the consent did not end');
}

/** Goes the whole way from the switch to a finished sign-in at notes. */
export async function connectNotes(person: TestPerson, name: string): Promise<void> {
  const enable = await person.call('POST', '/mcp/notes/enable');
  const back = await consentAtNotes(String(enable.body['authUrl']), { name, decision: 'allow' });
  const finished = await person.call('POST', '/mcp/oauth/callback', Object.fromEntries(back));
  if (finished.status !== 200) throw new Error(`not signed in: ${JSON.stringify(finished.body)}`);
}
