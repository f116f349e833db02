import { chmod, mkdir, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { listenLocally } from '../apps/broker/src/testing/servers/listen-locally.ts';
import type { Person } from './person.ts';

/** Commands with which programs open a page on Linux. */
const openers = ['xdg-open', 'x-www-browser', 'www-browser', 'sensible-browser', 'google-chrome', 'firefox', 'open'];

/** The browser of a client's user: programs start it like a real one, and it signs the user in. */
export type ClientBrowser = {
  env: { BROWSER: string; PATH: string; DISPLAY: string };
  /** Opens an address that the client only printed, once for each address. */
  open(address: string): void;
  /** Returns the error of the last sign-in, if it failed. */
  failure(): Error | undefined;
  close(): Promise<void>;
};

export async function startBrowser(person: Person, home: string): Promise<ClientBrowser> {
  const opened = new Set<string>();
  let failure: Error | undefined;
  const open = (address: string) => {
    if (opened.has(address)) return;
    opened.add(address);
    person.allowAndReturn(address).catch((error: unknown) => {
      failure = error instanceof Error ? error : new Error(String(error));
    });
  };
  const server = createServer((request, answer) => {
    open(decodeURIComponent(request.url?.slice(1) ?? ''));
    answer.end();
  });
  const { port, close } = await listenLocally(server);
  const bin = join(home, 'bin');
  await mkdir(bin, { recursive: true });
  const script = `#!${process.execPath}
const address = process.argv.find((word) => /^https?:/.test(word));
if (address) fetch('http://127.0.0.1:${port}/' + encodeURIComponent(address)).then((answer) => answer.text());
`;
  for (const name of openers) {
    await writeFile(join(bin, name), script);
    await chmod(join(bin, name), 0o755);
  }
  return {
    env: { BROWSER: join(bin, 'xdg-open'), PATH: `${bin}:${process.env['PATH'] ?? ''}`, DISPLAY: ':0' },
    open,
    failure: () => failure,
    close,
  };
}
