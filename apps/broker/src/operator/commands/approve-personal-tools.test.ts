import { afterAll, beforeAll, expect, test } from 'vitest';
import { areToolsRead, signInAt, startVault, type Vault } from '#features/upstreams/sign-in/testing/vault.ts';
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
});
afterAll(async () => {
  await operator?.stop();
  await vault?.close();
});

async function souk(...argv: string[]) {
  const lines: string[] = [];
  const code = await runCli(['manifest', ...argv], {
    environment: { DATA_DIR: vault.app.dataDir },
    stdout: (line) => lines.push(line),
    stderr: (line) => lines.push(line),
  });
  return { code, printed: lines.join('\n') };
}
const shown = () => vault.app.catalogue.snapshot().byId.get('vault')?.tools.length;

test('souk manifest approve ID --from EMAIL approves the list of that account for the shop', async () => {
  const diff = (who: string) => souk('diff', 'vault', '--from', `${who}@souk.test`);
  const approve = (who: string, shown: string) =>
    souk('approve', 'vault', '--from', `${who}@souk.test`, '--shown', shown, '--reason', 'read it');
  const nobody = { code: 1, printed: 'The broker refused: No user has the address zoe@souk.test.' };
  expect(await diff('zoe')).toEqual(nobody);
  expect(await approve('zoe', 'x')).toEqual(nobody);
  const unknown = { code: 1, printed: expect.stringContaining('Sign in to it with this account first') };
  expect(await diff('ann')).toMatchObject(unknown);
  expect(await approve('ann', 'x')).toMatchObject(unknown);
  expect(shown()).toBe(0);

  await signInAt(vault.ann, vault.fixture);
  await waitUntil('the tools', () => areToolsRead(vault.app, 'vault'));
  expect(shown()).toBe(0);
  const read = (await diff('ann')).printed;
  expect(read).toContain('Tool echo is new:\n  name\n    + echo\n  inputSchema');
  const shownCode = / --shown (\w+)$/.exec(read)?.[1] ?? '';
  expect((await souk('approve', 'vault', '--from', 'ann@souk.test')).printed).toContain(
    '--shown is required. "npm run souk -- manifest diff vault --from ann@souk.test" shows what you approve',
  );
  // the list changes between the two commands
  await vault.app.db.query(`update personal_tools set items = jsonb_set(items::jsonb, '{0,sha256}', '"other"')`);
  expect(await approve('ann', shownCode)).toEqual({
    code: 1,
    printed:
      `The broker refused: What vault offers to ann@souk.test has changed since it was shown with the code ${shownCode}. ` +
      'Read it again: npm run souk -- manifest diff vault --from ann@souk.test',
  });
  expect(shown()).toBe(0);
  const again = / --shown (\w+)$/.exec((await diff('ann')).printed)?.[1] ?? '';
  const { code, printed } = await approve('ann', again);
  expect({ code, lines: printed.split('\n').slice(0, 2) }).toEqual({
    code: 0,
    lines: ['The shop shows 8 tools of vault:', '  echo'],
  });
  expect(shown()).toBe(8);
  const { rows } = await vault.app.db.query("select reason from audit_log where action = 'tools.approved'");
  expect(rows).toEqual([{ reason: 'read it' }]);
});
