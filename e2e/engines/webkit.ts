import { z } from 'zod';
import { keyActions, type Engine } from './engine.ts';
import { miniBrowserPath } from './installed.ts';
import { startWebkitDriver, type WebkitDriver } from './webkit-driver.ts';

const sessionSchema = z.object({ sessionId: z.string() });
const windowsSchema = z.array(z.string());
/** WebDriver's form of an element that a script found: an object with one member, whose name is always the same. */
const elementSchema = z.record(z.string(), z.string()).nullable();

/** Starts WebKitGTK's small browser and drives it by WebDriver (https://www.w3.org/TR/webdriver2). */
export async function startWebkit(): Promise<Engine> {
  const driver = await startWebkitDriver();
  const browser = { binary: miniBrowserPath, args: ['--automation'] };
  const capabilities = { alwaysMatch: { 'webkitgtk:browserOptions': browser } };
  try {
    const { sessionId } = sessionSchema.parse(await driver.send('POST', '/session', { capabilities }));
    return engineOf(driver, `/session/${sessionId}`);
  } catch (error) {
    await driver.stop();
    throw error;
  }
}

function engineOf({ send, stop }: WebkitDriver, session: string): Engine {
  const post = (path: string, body: object) => send('POST', session + path, body);
  const call = (script: string, args: readonly unknown[]) =>
    post('/execute/sync', { script: `return (${script})(...arguments)`, args });
  const look = async (find: unknown, given: readonly unknown[]) =>
    Object.values(elementSchema.parse(await call(String(find), given)) ?? {})[0];
  return {
    open: async (url) => void (await post('/url', { url })),
    async evaluate(work, ...given) {
      const answer = await call(`(...given) => JSON.stringify([(${work})(...given)])`, given);
      return JSON.parse(String(answer))[0];
    },
    finds: async (find, ...given) => (await look(find, given)) !== undefined,
    async clickFound(find, ...given) {
      const id = await look(find, given);
      if (id === undefined) return false;
      await post(`/element/${id}/click`, {});
      return true;
    },
    press: async (keys, held) => void (await post('/actions', { actions: [keyActions(keys, held)] })),
    windows: async () => windowsSchema.parse(await send('GET', `${session}/window/handles`)),
    switchTo: async (handle) => void (await post('/window', { handle })),
    async close() {
      await send('DELETE', session).catch(() => {});
      await stop();
    },
  };
}
