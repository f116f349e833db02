import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';

/**
 * Follows redirects to an outside provider too, where the user is signed in already, instead of stopping where our
 * pages end.
 */
export class ProviderBrowser extends ScriptedBrowser {
  readonly #provider: ScriptedBrowser;
  /** Changes the request to the provider, as an attacker in between could. */
  onTheWay: (address: URL) => void = () => {};

  constructor(publicUrl: string, issuer: string) {
    super(publicUrl);
    this.#provider = new ScriptedBrowser(issuer);
  }

  /**
   * Leaves for the provider, which responds immediately. Returns the address to which it sends the browser back, not
   * opened yet.
   */
  async leave(url: string | URL, init: RequestInit = {}): Promise<string> {
    const started = await this.request(url, init);
    const back = await this.#visit(new URL(started.headers.get('location') ?? ''));
    return 'left' in back ? back.left.href : '';
  }

  override async open(url: string | URL, init: RequestInit = {}): ReturnType<ScriptedBrowser['open']> {
    const step = await super.open(url, init);
    if (!('left' in step) || step.left.origin !== new URL(this.#provider.publicUrl).origin) return step;
    const back = await this.#visit(step.left);
    return 'left' in back ? this.open(back.left) : back;
  }

  #visit(address: URL): ReturnType<ScriptedBrowser['open']> {
    this.onTheWay(address);
    return this.#provider.open(address);
  }
}
