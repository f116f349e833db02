import { spawn } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { z } from 'zod';
import { ScriptedBrowser } from '../apps/broker/src/testing/people/scripted-browser.ts';
import { freePort } from '../e2e/product.ts';

const suite = join(import.meta.dirname, '../node_modules/@modelcontextprotocol/conformance/dist/index.js');
/** Time after which a hanging suite is ended. */
const deadlineMs = 600_000;

const checksSchema = z.array(
  z.object({ id: z.string(), status: z.string(), errorMessage: z.string().optional().catch(undefined) }),
);

export type AuthorizationVerdict = {
  exitCode: number | null;
  /** Results of all checks of all scenarios. */
  checks: z.infer<typeof checksSchema>;
  output: string;
};

/**
 * Runs the suite's authorization mode against a broker: registers the suite's client and acts as the user in the
 * browser. The suite prints a URL and waits for the response at its own port.
 */
export async function runAuthorizationSuite(publicUrl: string): Promise<AuthorizationVerdict> {
  const port = await freePort();
  const results = await mkdtemp(join(tmpdir(), 'souk-authorization-'));
  const clientId = await registerClient(publicUrl, `http://127.0.0.1:${port}/callback`);
  const settings = {
    url: publicUrl,
    'client-id': clientId,
    resource: `${publicUrl}/mcp`,
    port: String(port),
    'output-dir': results,
  };
  const child = spawn(
    process.execPath,
    [suite, 'authorization', ...Object.entries(settings).flatMap(([name, value]) => [`--${name}`, value])],
    { stdio: ['ignore', 'pipe', 'pipe'], timeout: deadlineMs },
  );
  let output = '';
  let failure: unknown;
  let signedIn: Promise<void> | undefined;
  const hear = (chunk: unknown) => {
    output += String(chunk);
    const address = /^(https?:\/\/\S+\/oauth\/authorize\?\S+)\r?\n/m.exec(output)?.[1];
    if (address === undefined || signedIn) return;
    signedIn = allow(publicUrl, address).catch((error: unknown) => {
      failure = error;
      child.kill(); // otherwise it would wait five minutes for a response
    });
  };
  child.stdout.on('data', hear);
  child.stderr.on('data', hear);
  const exitCode = await new Promise<number | null>((resolve) => child.on('close', resolve));
  await signedIn;
  const checks = await readChecks(results);
  await rm(results, { recursive: true, force: true });
  if (failure !== undefined) throw new Error(`the sign-in failed:\n${output}`, { cause: failure });
  return { exitCode, checks, output };
}

/** Picks an account, clicks Allow, and follows the redirect to the suite. */
async function allow(publicUrl: string, address: string): Promise<void> {
  const callback = await new ScriptedBrowser(publicUrl).signIn(address);
  await (await fetch(callback)).text();
}

async function registerClient(publicUrl: string, redirectUri: string): Promise<string> {
  const answer = await fetch(`${publicUrl}/oauth/register`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ client_name: 'Conformance suite', redirect_uris: [redirectUri] }),
  });
  return z.object({ client_id: z.string() }).parse(await answer.json()).client_id;
}

async function readChecks(folder: string): Promise<AuthorizationVerdict['checks']> {
  const files = (await readdir(folder, { recursive: true })).filter((name) => name.endsWith('checks.json'));
  const texts = await Promise.all(files.map((name) => readFile(join(folder, name), 'utf8')));
  return texts.flatMap((text) => checksSchema.parse(JSON.parse(text)));
}
