import { waitUntil } from '../../apps/broker/src/testing/wait-until.ts';
import type { Engine } from './engine.ts';
import { findShown, type Kind } from './find-shown.ts';

/** Actions and observations of a user in a browser. Each waits until it is possible. */
export type Person = ReturnType<typeof createPerson>;

export function createPerson(engine: Engine) {
  /** Waits for a condition. A page that is being left returns an error, so the next page is queried again. */
  async function until(what: string, condition: () => Promise<boolean>): Promise<void> {
    let reason: unknown;
    const tried = () =>
      condition().catch((error: unknown) => {
        reason = error;
        return false;
      });
    await waitUntil(what, tried).catch(async (error: unknown) => {
      const seen = await engine.evaluate(() => `${location.href}\n${document.body.innerText}`).catch(String);
      throw new Error(`${String(error)}\nlast error: ${String(reason)}\nseen: ${seen}`, { cause: error });
    });
  }
  const click = (kind: Kind, name: RegExp) =>
    until(`to click ${kind} ${name.source}`, () => engine.clickFound(findShown, kind, name.source, true));

  return {
    open: engine.open,
    evaluate: engine.evaluate,
    click,
    /** Replaces the text of a field, and retries if a page took the focus away meanwhile. */
    async fill(label: RegExp, text: string): Promise<void> {
      await until(`${label.source} to be ${text}`, async () => {
        if (!(await engine.clickFound(findShown, 'field', label.source, true))) return false;
        await engine.evaluate(
          () => document.activeElement instanceof HTMLInputElement && document.activeElement.select(),
        );
        await engine.press([...text]);
        return engine.evaluate(
          (wanted) => document.activeElement instanceof HTMLInputElement && document.activeElement.value === wanted,
          text,
        );
      });
    },
    type: (text: string) => engine.press([...text]),
    press: engine.press,
    sees: (text: RegExp) =>
      until(`to see ${text.source}`, () =>
        engine.evaluate((source) => new RegExp(source).test(document.body.innerText), text.source),
      ),
    finds: (kind: Kind, name: RegExp) =>
      until(`to find ${kind} ${name.source}`, () => engine.finds(findShown, kind, name.source)),
    findsNo: (kind: Kind, name: RegExp) =>
      until(`to find no ${kind} ${name.source}`, async () => !(await engine.finds(findShown, kind, name.source))),
    isAt: (path: RegExp) =>
      until(`to be at ${path.source}`, () =>
        engine.evaluate((source) => new RegExp(source).test(location.pathname + location.search), path.source),
      ),
    /**
     * Opens a window and acts in it until it closes automatically.
     * @param work gets a function that checks the page that opened the window
     */
    async inWindow(
      opens: () => Promise<void>,
      work: (lookBack: (look: () => Promise<void>) => Promise<void>) => Promise<void>,
    ): Promise<void> {
      const before = await engine.windows();
      const [main = ''] = before;
      await opens();
      let opened: string | undefined;
      await until('a window to open', async () => {
        opened = (await engine.windows()).find((window) => !before.includes(window));
        return opened !== undefined;
      });
      const window = opened ?? main;
      await engine.switchTo(window);
      await work(async (look) => {
        await engine.switchTo(main);
        await look();
        await engine.switchTo(window);
      });
      await engine.switchTo(main);
      await until('the window to close', async () => (await engine.windows()).length === before.length);
    },
  };
}
