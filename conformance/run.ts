// npm run conformance [-- 2025-11-25|2026-07-28]: the official suite against our own gateway and our
// upstream side.
import { spawn } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startConformanceFixture } from './fixture.ts';
import { startOpenGateway } from './open-gateway.ts';

const revisions = { '2025-11-25': 'legacy', '2026-07-28': 'modern' } as const;
type Revision = keyof typeof revisions;

/** What the revisions require of a client, but for authorization. */
const clientScenarios: Record<Revision, string[]> = {
  '2025-11-25': ['initialize', 'tools_call', 'elicitation-sep1034-client-defaults', 'sse-retry'],
  '2026-07-28': [
    'tools_call',
    'request-metadata',
    'sep-2322-client-request-state',
    'http-standard-headers',
    'http-custom-headers',
    'http-invalid-tool-headers',
    'json-schema-ref-no-deref',
  ],
};

const suite = join(import.meta.dirname, '../node_modules/@modelcontextprotocol/conformance/dist/index.js');
const chosen = process.argv.slice(2);
const results = await mkdtemp(join(tmpdir(), 'souk-conformance-results-'));
const failed: string[] = [];

for (const revision of ['2025-11-25', '2026-07-28'] as const) {
  if (chosen.length > 0 && !chosen.includes(revision)) continue;
  console.log(`\nserver ${revision}`);
  if (!(await runAgainstGateway(revision))) failed.push(`server ${revision}`);
  for (const scenario of clientScenarios[revision]) {
    console.log(`\nclient ${revision}: ${scenario}`);
    if (!(await runOurClient(scenario, revision))) failed.push(`client ${revision} ${scenario}`);
  }
}
await rm(results, { recursive: true, force: true });
if (failed.length > 0) {
  console.log(`\nnot conforming: ${failed.join(', ')}`);
  process.exitCode = 1;
}

/** Every scored scenario of a revision against the gateway, with an upstream of the same era behind it. */
async function runAgainstGateway(revision: Revision): Promise<boolean> {
  const fixture = await startConformanceFixture(revisions[revision]);
  const gateway = await startOpenGateway([{ id: 'conformance', url: fixture.url, address: fixture.address }]);
  try {
    return await runSuite(['server', '--url', gateway.url('conformance'), '--requirements', revision]);
  } finally {
    await gateway.stop();
    await fixture.close();
  }
}

/** The suite starts our program with the address of its own server. */
async function runOurClient(scenario: string, revision: Revision): Promise<boolean> {
  const command = `${process.execPath} ${join(import.meta.dirname, 'client.ts')}`;
  return runSuite(['client', '--command', command, '--scenario', scenario, '--spec-version', revision]);
}

async function runSuite(args: string[]): Promise<boolean> {
  const child = spawn(process.execPath, [suite, ...args, '--output-dir', results], { stdio: 'inherit' });
  return new Promise((resolve) => child.on('close', (code) => resolve(code === 0)));
}
