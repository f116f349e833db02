import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { compileCache } from '../../apps/broker/src/testing/compile-cache.ts';

const launcher = join(
  import.meta.dirname,
  '../../node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js',
);

const answerSchema = z.object({
  tools: z.array(z.object({ name: z.string() })).optional(),
  content: z.unknown().optional(),
});

export type Access = { link: string; token: string };

/**
 * Runs one command of the MCP Inspector's CLI: it connects, sends the request in `args`, prints the response and exits.
 * @throws Error with its output when it fails
 */
export async function inspect(
  { link, token }: Access,
  era: 'legacy' | 'modern',
  args: readonly string[],
): Promise<z.output<typeof answerSchema>> {
  const home = await mkdtemp(join(tmpdir(), 'inspector-'));
  const command = [launcher, '--cli', link, '--transport', 'http', '--header', `Authorization: Bearer ${token}`];
  const child = spawn(
    process.execPath,
    [...command, ...(era === 'modern' ? ['--protocol-era', 'modern'] : []), ...args],
    { env: { PATH: process.env['PATH'], HOME: home, ...compileCache() }, stdio: ['ignore', 'pipe', 'pipe'] },
  );
  let stdout = '';
  let stderr = '';
  child.stdout.on('data', (chunk) => (stdout += String(chunk)));
  child.stderr.on('data', (chunk) => (stderr += String(chunk)));
  const code = await new Promise((resolve) => child.on('close', resolve));
  await rm(home, { recursive: true, force: true });
  if (code !== 0) throw new Error(`the Inspector ended with ${String(code)}: ${stderr}`);
  return answerSchema.parse(JSON.parse(stdout));
}
