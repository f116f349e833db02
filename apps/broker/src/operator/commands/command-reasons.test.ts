import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { startShop, type Shop } from '#features/billing/shop/checkout/testing/shop.ts';
import { newSubscriber } from '#features/billing/shop/subscriptions/testing/subscriber.ts';
import { runSouk } from '#operator/cli/testing/run-souk.ts';
import { createLog } from '#platform/log.ts';
import { createOperatorServer, type OperatorServer } from '#platform/operator/operator-server.ts';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { billingCommands } from './billing-commands.ts';
import { offerCommands } from './offer-commands.ts';
import { operatorCommands } from './operator-commands.ts';

/** Reasons are stored in the audit log, where a character that hides or reverses text would change the meaning. */
const who = ['--email', 'ann@souk.test'];
const file = join(temporaryRoot(), `reasons-${process.pid}.json`);
const commands: Readonly<Record<string, readonly string[]>> = {
  'credits set': [...who, '--credits', '5'],
  'manifest approve': ['travel', '--shown', 'code'],
  'manifest delete': ['travel'],
  'manifest deploy': [file],
  'manifest stage': [file],
  'manifest undeploy': ['travel'],
  'offers archive': ['pro'],
  'offers restore': ['pro'],
  'offers take-file': ['pro'],
  'payments refund': ['--amount', '5'],
  'registry import': ['example/tides@1.0.0', '--registry', randomUUID()],
  'user activate': who,
  'user deactivate': who,
  'user erase': [...who, '--confirm', 'ann@souk.test'],
  'user give': [...who, '--plan', 'pro'],
  'user remove': [...who, '--subscription', randomUUID()],
  'user sign-out': who,
};

let app: Shop;
let ofPayment: string[];
let operator: OperatorServer;
const souk = (...argv: string[]) => runSouk(argv, { environment: { DATA_DIR: app.dataDir } });

beforeAll(async () => {
  const texts = {
    id: 'kept',
    name: 'Kept',
    serviceType: 'mcp',
    version: '1.0.0',
    description: 'Kept.',
    category: 'data',
  };
  await writeFile(file, JSON.stringify({ ...texts, connection: { type: 'http', url: 'https://kept.example/mcp' } }));
  app = await startShop();
  const payer = await newSubscriber(app);
  await payer.buyCredits();
  const { rows } = await app.db.query<{ id: string }>('select id from transactions');
  ofPayment = ['--email', payer.email, '--payment', rows[0]?.id ?? ''];
  operator = await createOperatorServer({
    dataDir: app.dataDir,
    commands: { ...operatorCommands(app), ...billingCommands(app), ...offerCommands(app) },
    log: createLog('silent'),
  });
});
afterAll(async () => {
  await operator?.stop();
  await app?.stop();
});

test('every command with a reason is among those tested', async () => {
  const { out } = await souk('--help');
  const names = out.split('\n').flatMap((line) => /^ {2}([a-z]+(?: [a-z-]+)?) {1,}/.exec(line)?.[1] ?? []);
  const found = await Promise.all(
    names.map(async (name) => [name, (await souk(...name.split(' '), '--help')).out] as const),
  );
  const taking = found.flatMap(([name, help]) => (help.includes('--reason') ? [name] : []));
  expect(taking.toSorted()).toEqual(Object.keys(commands).toSorted());
});

test.each(Object.entries(commands))('souk %s accepts no reason with hidden characters', async (name, args) => {
  for (const reason of ['as agreed\u202Edeerga sa', 'two\nlines']) {
    const named = name === 'payments refund' ? [...args, ...ofPayment] : args;
    const { code, err } = await souk(...name.split(' '), ...named, '--reason', reason);
    expect(code).not.toBe(0);
    expect(err).toBe('The broker refused: reason: must not contain hidden characters');
  }
});
