import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { openBidi, type Bidi } from './bidi.ts';
import { keyActions, type Engine } from './engine.ts';
import { firefoxPath } from './installed.ts';

const prefs = `user_pref("browser.shell.checkDefaultBrowser", false);
user_pref("browser.startup.homepage_override.mstone", "ignore");
user_pref("datareporting.policy.dataSubmissionEnabled", false);
user_pref("intl.accept_languages", "en-US");
`;
const treeSchema = z.object({ contexts: z.array(z.object({ context: z.string() })) });
const valueSchema = z.object({ result: z.object({ value: z.string() }) });
const nodeSchema = z.object({ result: z.object({ sharedId: z.string().optional() }) });

/** Starts Firefox without a screen and drives it by WebDriver BiDi (https://w3c.github.io/webdriver-bidi). */
export async function startFirefox(): Promise<Engine> {
  const profile = await mkdtemp(join(tmpdir(), 'souk-firefox-'));
  await writeFile(join(profile, 'user.js'), prefs);
  const given = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0'];
  const program = spawn(firefoxPath, given, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { PATH: process.env['PATH'], HOME: profile },
  });
  const ended = new Promise<void>((resolve) => program.on('close', () => resolve()));
  const stop = async () => {
    program.kill();
    await ended;
    await rm(profile, { recursive: true, force: true });
  };
  try {
    const address = await new Promise<string>((resolve, reject) => {
      let said = '';
      program.stderr.on('data', (chunk) => {
        said += String(chunk);
        const [, url] = /WebDriver BiDi listening on (\S+)/.exec(said) ?? [];
        if (url) resolve(url);
      });
      void ended.then(() => reject(new Error(`Firefox ended:\n${said}`)));
    });
    const bidi = await openBidi(`${address}/session`);
    await bidi.send('session.new', { capabilities: {} });
    return await engineOf(bidi, stop);
  } catch (error) {
    await stop();
    throw error;
  }
}

async function engineOf(bidi: Bidi, stop: () => Promise<void>): Promise<Engine> {
  const windows = async () => {
    const { contexts } = treeSchema.parse(await bidi.send('browsingContext.getTree', { maxDepth: 0 }));
    return contexts.map(({ context }) => context);
  };
  let [context = ''] = await windows();
  const call = (functionDeclaration: string) =>
    bidi.send('script.callFunction', { functionDeclaration, target: { context }, awaitPromise: true });
  const look = async (find: unknown, given: readonly unknown[]) =>
    nodeSchema.parse(await call(`() => (${find})(...${JSON.stringify(given)})`)).result.sharedId;
  const act = async (actions: object) =>
    void (await bidi.send('input.performActions', { context, actions: [actions] }));
  return {
    open: async (url) => void (await bidi.send('browsingContext.navigate', { context, url, wait: 'complete' })),
    async evaluate(work, ...given) {
      const answer = await call(`() => JSON.stringify([(${work})(...${JSON.stringify(given)})])`);
      return JSON.parse(valueSchema.parse(answer).result.value)[0];
    },
    finds: async (find, ...given) => (await look(find, given)) !== undefined,
    async clickFound(find, ...given) {
      const sharedId = await look(find, given);
      if (sharedId === undefined) return false;
      const origin = { type: 'element', element: { sharedId } };
      const actions = [
        { type: 'pointerMove', x: 0, y: 0, origin },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ];
      await act({ type: 'pointer', id: 'mouse', actions });
      return true;
    },
    press: (keys, held) => act(keyActions(keys, held)),
    windows,
    switchTo: async (window) => void (context = window),
    async close() {
      await stop();
      bidi.close();
    },
  };
}
