import { afterAll, beforeAll, expect, test } from 'vitest';
import { isOfferRead, signInAt, startVault, type Vault } from '#features/upstreams/sign-in/testing/vault.ts';
import { createLog } from '#platform/log.ts';
import { createOperatorServer, type OperatorServer } from '#platform/operator/operator-server.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { operatorCommands } from './operator-commands.ts';
import { runCli } from '#operator/cli/run-cli.ts';

let vault: Vault;
let operator: OperatorServer;

beforeAll(async () => {
  vault = await startVault({ manifest: () => ({ capabilitySnapshot: undefined }) });
  const { app } = vault;
  operator = await createOperatorServer({
    dataDir: app.dataDir,
    commands: operatorCommands(app),
    log: createLog('silent'),
  });
}, 60_000);
afterAll(async () => {
  await operator?.stop();
  await vault?.close();
});

async function approve(...argv: string[]) {
  const lines: string[] = [];
  const code = await runCli(['manifest', 'approve', 'vault', ...argv], {
    environment: { DATA_DIR: vault.app.dataDir },
    stdout: (line) => lines.push(line),
    stderr: (line) => lines.push(line),
  });
  return { code, printed: lines.join('\n') };
}
const shown = () => vault.app.catalogue.snapshot().byId.get('vault')?.tools.length;

test('souk manifest approve ID --from EMAIL makes the list of that account what the shop shows', async () => {
  expect(await approve('--from', 'zoe@souk.test')).toEqual({
    code: 1,
    printed: 'The broker refused: No user has the address zoe@souk.test.',
  });
  expect(await approve('--from', 'ann@souk.test')).toMatchObject({
    code: 1,
    printed: expect.stringContaining('Sign in to it with this account first'),
  });
  expect(shown()).toBe(0);

  await signInAt(vault.ann, vault.fixture);
  await waitUntil('the offer', () => isOfferRead(vault.app, 'vault'));
  expect(shown()).toBe(0);
  const { code, printed } = await approve('--from', 'ann@souk.test', '--reason', 'read it');
  expect({ code, lines: printed.split('\n').slice(0, 2) }).toEqual({
    code: 0,
    lines: ['The shop shows 8 tools of vault:', '  echo'],
  });
  expect(shown()).toBe(8);
  const { rows } = await vault.app.db.query("select reason from audit_log where action = 'offer.approved'");
  expect(rows).toEqual([{ reason: 'read it' }]);
});
