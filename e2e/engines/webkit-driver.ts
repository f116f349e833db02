import { spawn, type ChildProcess } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { freePort } from '../../apps/broker/src/testing/network/free-port.ts';
import { waitUntil } from '../../apps/broker/src/testing/wait-until.ts';
import { webkitDriverPath, xvfbPath } from './installed.ts';

const answerSchema = z.object({ value: z.unknown() });

export type WebkitDriver = {
  /**
   * Sends a command.
   * @returns its value.
   * @throws Error with the driver's reason
   */
  send(method: 'GET' | 'POST' | 'DELETE', path: string, body?: object): Promise<unknown>;
  stop(): Promise<void>;
};

/** Starts WebKitGTK's WebDriver with a virtual screen. */
export async function startWebkitDriver(): Promise<WebkitDriver> {
  const home = await mkdtemp(join(tmpdir(), 'souk-webkit-'));
  const programs: { program: ChildProcess; ended: Promise<void> }[] = [];
  const keep = (program: ChildProcess) => {
    programs.unshift({ program, ended: new Promise((resolve) => program.on('close', () => resolve())) });
  };
  const stop = async () => {
    for (const { program, ended } of programs) {
      program.kill();
      await ended;
    }
    await rm(home, { recursive: true, force: true });
  };
  const port = await freePort();
  const send: WebkitDriver['send'] = async (method, path, body = {}) => {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, {
      method,
      ...(method === 'POST' && { body: JSON.stringify(body) }),
    });
    const { value } = answerSchema.parse(await answer.json());
    if (!answer.ok) throw new Error(`${path}: ${JSON.stringify(value)}`);
    return value;
  };
  const answers = () =>
    send('GET', '/status').then(
      () => true,
      () => false,
    );
  try {
    const screen = spawn(xvfbPath, ['-displayfd', '3', '-screen', '0', '1280x1000x24', '-nolisten', 'tcp'], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
    });
    keep(screen);
    const display = await new Promise<string>((resolve, reject) => {
      screen.stdio[3]?.on('data', (chunk) => resolve(`:${String(chunk).trim()}`));
      screen.on('close', (code) => reject(new Error(`Xvfb ended with ${code}`)));
    });
    const env = {
      PATH: process.env['PATH'],
      HOME: home,
      DISPLAY: display,
      LANG: 'en_US.UTF-8',
      // the sandbox does not work as root, and all pages are ours
      WEBKIT_DISABLE_SANDBOX_THIS_IS_DANGEROUS: '1',
    };
    keep(spawn(webkitDriverPath, [`--port=${port}`], { stdio: 'ignore', env }));
    await waitUntil('the driver of WebKit to respond', answers);
  } catch (error) {
    await stop();
    throw error;
  }
  return { send, stop };
}
