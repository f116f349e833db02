import fc from 'fast-check';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { differencesOf } from '#features/billing/shop/changes/testing/differences-of.ts';
import { purchaseOp, type PurchaseOp } from '#features/billing/shop/changes/testing/purchase-ops.ts';
import { newPerson } from '#features/billing/shop/changes/testing/purchase-person.ts';
import { startShop, type Shop } from '#features/billing/shop/checkout/testing/shop.ts';
import { startTwoShops } from '#features/billing/shop/checkout/testing/two-shops.ts';
import { checkLedger } from '#features/billing/credits/accounts/check-ledger.ts';
import { SoukError } from '#platform/errors.ts';
import { describeOnDatabases, describeOnPostgres } from '#testing/databases/databases.ts';
import { atFullSize, printFigure } from '#testing/figures/proof-size.ts';
import { migrations } from '../migrations.ts';

// Sequences of everything that users, administrators, banks and the network do to purchases. When all work is done, the
// provider, the ledger, the history and the screens agree, and no money is kept for what is not given.

/** Number of sequences per kind of installation: three kinds make 18 in total, and 2,000. */
const sequences = atFullSize({ full: 667, short: 6 });
const sequence = fc.array(purchaseOp, { minLength: 3, maxLength: 9 });
/** MONEY_SEED=… repeats the same sequences in the same order; with MONEY_PATH=… it begins with the failed one. */
const { MONEY_SEED: seed, MONEY_PATH: path } = process.env;

function runModel(name: string, start: () => Promise<readonly [Shop, ...Shop[]]>): void {
  let shops: readonly [Shop, ...Shop[]] | undefined;
  beforeAll(async () => {
    shops = await start();
  });
  afterAll(async () => {
    for (const shop of (shops ?? []).toReversed()) await shop.stop();
  });

  async function runSequence(ops: readonly PurchaseOp[]): Promise<void> {
    if (!shops) throw new Error('no shop was started');
    const [shop] = shops;
    for (const each of shops) each.ahead.ms = 0;
    const person = await newPerson(shops);
    for (const op of ops) {
      await person.act(op).catch((error: unknown) => {
        // a refusal, or a request to come again, is an answer
        if (!(error instanceof SoukError) && !(error instanceof Error && error.message.startsWith('not paid:')))
          throw error;
      });
    }
    await person.rest();
    expect(await differencesOf(shop, person), JSON.stringify(ops)).toEqual([]);
    expect(await checkLedger(shop.db)).toEqual([]);
  }

  test('[money] what was paid, less refunds, is what is given, everywhere', async () => {
    const known = { ...(seed !== undefined && { seed: Number(seed) }), ...(path !== undefined && { path }) };
    const options = { numRuns: path === undefined ? sequences : 1, endOnFailure: true, ...known };
    await fc.assert(fc.asyncProperty(sequence, runSequence), options);
    printFigure(`${name}: ${sequences} sequences, 0 differences`);
  });
}

describeOnDatabases('purchases', migrations, (open) => {
  runModel('one broker', async () => [await startShop({ db: { ...(await open()), close: async () => {} } })]);
});

describeOnPostgres('purchases on two brokers', migrations, (open) => {
  runModel('two brokers', async () => startTwoShops(await open()));
});
