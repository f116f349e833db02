import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';

/** Goes to an outside provider too, where its person is signed in already, instead of stopping where our pages end. */
export class ProviderBrowser extends ScriptedBrowser {
  readonly #provider: ScriptedBrowser;
  /** Changes what is asked of the provider, as somebody on the way could. */
  onTheWay: (address: URL) => void = () => {};

  constructor(publicUrl: string, issuer: string) {
    super(publicUrl);
    this.#provider = new ScriptedBrowser(issuer);
  }

  /** Leaves for the provider, which answers at once. Answers where it sends the browser back to, not opened yet. */
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
