import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startBed, type Bed } from '../clients/bed.ts';
import { checkClient } from '../clients/check-client.ts';
import type { Column } from '../clients/columns.ts';
import { Processes } from '../clients/processes.ts';
import type { Program } from '../clients/program.ts';
import { sdkPrograms } from '../clients/programs/sdks.ts';
import { Trace } from '../clients/trace.ts';

// output of npm run clients for the clients in this repository's own dependencies
let bed: Bed;
let home: string;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'souk-client-table-'));
  bed = await startBed({ brokers: 1, documents: 'default', ending: '' });
});
afterAll(async () => {
  await bed?.close();
  await rm(home, { recursive: true, force: true });
});

const looks: Column[] = ['connect', 'list', 'call', 'progress', 'question', 'form', 'off and on', 'refresh', 'revoke'];

async function statesOf(program: Program, columns: readonly Column[]): Promise<Record<string, unknown>> {
  bed.door.trace = new Trace();
  const person = bed.person(`${program.name}@souk.test`);
  const trace = () => bed.door.trace;
  const setting = { link: bed.link, person, trace, home, packages: '', processes: new Processes() };
  const cells = await checkClient(program, setting, bed, () => {}, columns);
  return Object.fromEntries(columns.map((column) => [column, cells[column]]));
}

const sdk = (name: string) => {
  const found = sdkPrograms.find((program) => program.name === name);
  if (!found) throw new Error(`no ${name}`);
  return found;
};

test.each(['sdk-v1', 'sdk-v2-modern'])('the row of %s is ok in every column', async (name) => {
  const states = await statesOf(sdk(name), looks);
  for (const column of looks) expect(states[column], column).toMatchObject({ state: 'ok' });
  expect(bed.door.trace.told()).toContain('by registration');
  expect(bed.door.trace.refreshes).toBe(1);
});

test('a client that loses results, notices and its sign-in is not ok', async () => {
  const real = sdk('sdk-v2-modern');
  const broken: Program = {
    ...real,
    name: 'broken',
    async connect(setting) {
      const client = await real.connect(setting);
      return { ...client, tools: async () => [], call: async () => 'nothing' };
    },
  };
  const columns: Column[] = ['list', 'call', 'progress', 'question', 'form', 'off and on', 'refresh', 'revoke'];
  const states = await statesOf(broken, columns);
  for (const column of columns) expect(states[column], column).toMatchObject({ state: 'failed' });
});
