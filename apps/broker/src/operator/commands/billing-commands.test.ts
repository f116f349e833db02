import { afterAll, beforeAll, expect, test } from 'vitest';
import { startTestApp, type TestApp } from '#testing/start-app.ts';
import { billingCommands } from './billing-commands.ts';

let app: TestApp;
beforeAll(async () => {
  app = await startTestApp();
  await app.identity.createPersonalToken({ email: 'ann@souk.test', name: 'test' });
});
afterAll(() => app?.stop());

test('setting credits by command leaves an audit row that says who, whose, how many and why', async () => {
  const set = (credits: number, reason?: string) =>
    billingCommands(app)['credits.set']?.({ email: 'ann@souk.test', credits, reason, operator: 'root' });
  expect(await set(20, 'a gift')).toEqual({ credits: 20, change: 20 });
  expect(await set(20), 'the same again is no change').toEqual({ credits: 20, change: 0 });
  expect(await set(5)).toEqual({ credits: 5, change: -15 });
  const { rows } = await app.db.query(
    `select actor_id, subject = (select id::text from users) as is_ann, reason, details from audit_log
     where action = 'credits.set' order by id`,
  );
  const row = { actor_id: null, is_ann: true };
  expect(rows).toEqual([
    { ...row, reason: 'a gift', details: { credits: 20, change: 20, sandbox: true, operator: 'root' } },
    { ...row, reason: 'by command', details: { credits: 5, change: -15, sandbox: true, operator: 'root' } },
  ]);
});
