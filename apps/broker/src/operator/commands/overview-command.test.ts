import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startShop, type Shop } from '#features/billing/shop/checkout/testing/shop.ts';
import { newSubscriber } from '#features/billing/shop/subscriptions/testing/subscriber.ts';
import { runSouk } from '#operator/cli/testing/run-souk.ts';
import { createLog } from '#platform/log.ts';
import { createOperatorServer, type OperatorServer } from '#platform/operator/operator-server.ts';
import { waitUntil } from '#testing/wait-until.ts';
import { billingCommands } from './billing-commands.ts';
import { overviewCommand } from './overview-command.ts';

let shop: Shop;
let operator: OperatorServer;
beforeAll(async () => {
  shop = await startShop();
  const log = createLog('silent');
  const commands = { ...overviewCommand(shop), ...billingCommands(shop) };
  operator = await createOperatorServer({ dataDir: shop.dataDir, commands, log });
});
afterAll(async () => {
  await operator?.stop();
  await shop?.stop();
});

const run = (argv: string[]) => runSouk(argv, { environment: { DATA_DIR: shop.dataDir } });

async function souk(...argv: string[]): Promise<string[]> {
  const { code, out } = await run(argv);
  expect(code).toBe(0);
  return out.trim().split('\n');
}

describe('overview', { shuffle: false }, () => {
  test('prints what needs attention and the figures that administrators see, and --json the same as data', async () => {
    expect((await souk('overview'))[0]).toBe('Nothing needs you.');
    const ann = await newSubscriber(shop);
    await ann.buyCredits('4000000000000259');
    await waitUntil('the dispute is noted, and its event is done', async () => {
      const now = await shop.overview.needs();
      return now.needs.disputes.total === 1 && now.waiting === 1;
    });
    const { needs, figures } = JSON.parse((await souk('overview', '--json')).join('\n'));
    expect({ needs, figures }).toEqual({ needs: await shop.overview.needs(), figures: await shop.overview.figures() });
    const [{ id, dueBy }] = needs.needs.disputes.items;
    expect(await souk('overview')).toEqual([
      `dispute ${id} of ${ann.email}: $5, answer by ${dueBy}`,
      'In 30 days (in the 30 before):',
      '  revenue $5 ($0) after refunds',
      '  paid plans 0 (0), new 0 (0), lost 0 (0)',
      '  paid rentals 0 (0), new 0 (0), lost 0 (0)',
      '  credits paid for in packages and with plans 0 (0), used 0 (0)',
      '  credits that users paid for and have not used 0 (0)',
      expect.stringMatching(/^ {2}calls 0 \(0\), failed by a server 0 \(0\), users 0 \((0|not counted yet)\)$/),
    ]);
  });

  test('names a failed refund, its reason, and what can be done; the refund itself exited with 1, as data too', async () => {
    const bob = await newSubscriber(shop);
    const { chargeId } = await bob.buyCredits();
    shop.control.drop(1000);
    await shop.control.openDispute(chargeId);
    const { rows } = await shop.db.query<{ id: string }>('select id from transactions where user_id = $1', [
      bob.userId,
    ]);
    const refund = ['payments', 'refund', '--email', bob.email, '--payment', rows[0]?.id ?? '', '--amount', '5'];
    const { code, out } = await run([...refund, '--json']);
    expect(code).toBe(1);
    expect(JSON.parse(out)).toMatchObject({ result: 'failed', error: expect.stringContaining('charged back') });
    const [{ since, reason } = { since: '', reason: '' }] = (await shop.overview.needs()).needs.failedRefunds.items;
    expect(reason).toContain('charged back');
    expect(await souk('overview')).toContain(
      `refund of $5 to ${bob.email} failed since ${since}: ${reason}; repeat it with payments refund, or at the payment provider`,
    );
  });
});
