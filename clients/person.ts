import { connectNotes, signInPerson } from '../apps/broker/src/features/upstreams/sign-in/testing/person.ts';
import { ScriptedBrowser } from '../apps/broker/src/testing/people/scripted-browser.ts';
import { isRecord } from '../apps/broker/src/platform/json.ts';

/** The user of one client: signs in where the client sends them, and acts on the dashboard. */
export class Person {
  readonly publicUrl: string;
  readonly email: string;
  /** Number of sign-ins to which a client sent the user. */
  signIns = 0;
  /** Whether a sign-in is due: at first, after the user disconnected everything, and when the client could not renew its token. */
  mustSignIn = true;

  constructor(publicUrl: string, email: string) {
    this.publicUrl = publicUrl;
    this.email = email;
  }

  /**
   * Picks the account and clicks Allow.
   * @returns the address to which the browser is sent back
   */
  async allow(address: string | URL): Promise<URL> {
    this.signIns += 1;
    const back = await new ScriptedBrowser(this.publicUrl).signIn(address, { email: this.email });
    this.mustSignIn = false;
    return back;
  }

  /** Does the same, and loads the client's page in the browser. */
  async allowAndReturn(address: string | URL): Promise<void> {
    const back = await fetch(await this.allow(address));
    await back.text();
  }

  async setEnabled(server: string, enabled: boolean): Promise<void> {
    await this.#call('POST', `/mcp/${server}/${enabled ? 'enable' : 'disable'}`);
  }

  async connectNotes(): Promise<void> {
    await connectNotes(await this.#signIn(), 'Client');
  }

  /** Disconnects every client and revokes every personal token. */
  async disconnectAll(): Promise<void> {
    const person = await this.#signIn();
    const own = `/api/users/${person.userId}/connected-apps`;
    const [apps, tokens] = await Promise.all([person.call('GET', own), person.call('GET', '/auth/pat/list')]);
    for (const id of idsOf(apps.body['apps'])) await person.call('DELETE', `${own}/${id}`);
    for (const id of idsOf(tokens.body['tokens'])) await person.call('DELETE', `/auth/pat/${id}`);
    this.mustSignIn = true;
  }

  async createToken(): Promise<string> {
    this.signIns += 1;
    const { token } = await this.#call('POST', '/auth/pat/create', { name: 'client' });
    this.mustSignIn = false;
    return String(token);
  }

  #signIn() {
    return signInPerson(this.publicUrl, this.email);
  }

  async #call(method: string, path: string, body?: unknown): Promise<Record<string, unknown>> {
    const answer = await (await this.#signIn()).call(method, path, body);
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer.body;
  }
}

function idsOf(list: unknown): string[] {
  return Array.isArray(list) ? list.filter(isRecord).map(({ id }) => String(id)) : [];
}
