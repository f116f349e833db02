import fc from 'fast-check';

/** Plans by their price. */
export const planIds = ['basic', 'pro', 'enterprise'] as const;
export type PlanId = (typeof planIds)[number];

/** Actions of a user, an administrator, a bank or the network on a purchase. `of` chooses among what there is. */
export type PurchaseOp =
  | { kind: 'buy'; plan: PlanId; failsLater: boolean; isLeftOpen: boolean }
  | { kind: 'change'; plan: PlanId; broker: 0 | 1 }
  | { kind: 'two tabs'; plans: readonly [PlanId, PlanId] }
  | { kind: 'change and cancel'; plan: PlanId }
  | { kind: 'cancel' | 'resume'; broker: 0 | 1 }
  | { kind: 'month passes' }
  | { kind: 'pay what is open' }
  | { kind: 'refund by hand'; of: number; part: number }
  | { kind: 'refund by us'; of: number; part: number }
  | { kind: 'dispute'; of: number; isWon: boolean }
  | { kind: 'bank returns a refund'; of: number }
  | { kind: 'webhooks'; how: 'late' | 'lost' | 'doubled' | 'shuffled' | 'on time' }
  | { kind: 'provider'; how: 'before' | 'after' | 'refused' | 'locked' }
  | { kind: 'frozen'; plan: PlanId; other: PlanId };

const plan = fc.constantFrom(...planIds);
const broker = fc.constantFrom<0 | 1>(0, 1);
const of = fc.nat({ max: 20 });
const part = fc.integer({ min: 1, max: 3 });
const one = <Kind extends string>(...kinds: Kind[]) => fc.constantFrom(...kinds);

export const purchaseOp: fc.Arbitrary<PurchaseOp> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: one('buy'), plan, failsLater: fc.boolean(), isLeftOpen: fc.boolean() }),
  },
  { weight: 5, arbitrary: fc.record({ kind: one('change'), plan, broker }) },
  { weight: 2, arbitrary: fc.record({ kind: one('two tabs'), plans: fc.tuple(plan, plan) }) },
  { weight: 1, arbitrary: fc.record({ kind: one('change and cancel'), plan }) },
  { weight: 2, arbitrary: fc.record({ kind: one('cancel', 'resume'), broker }) },
  { weight: 2, arbitrary: fc.record({ kind: one('month passes') }) },
  { weight: 2, arbitrary: fc.record({ kind: one('pay what is open') }) },
  { weight: 1, arbitrary: fc.record({ kind: one('refund by hand'), of, part }) },
  { weight: 1, arbitrary: fc.record({ kind: one('refund by us'), of, part }) },
  { weight: 1, arbitrary: fc.record({ kind: one('dispute'), of, isWon: fc.boolean() }) },
  { weight: 1, arbitrary: fc.record({ kind: one('bank returns a refund'), of }) },
  {
    weight: 2,
    arbitrary: fc.record({ kind: one('webhooks'), how: one('late', 'lost', 'doubled', 'shuffled', 'on time') }),
  },
  { weight: 3, arbitrary: fc.record({ kind: one('provider'), how: one('before', 'after', 'refused', 'locked') }) },
  { weight: 1, arbitrary: fc.record({ kind: one('frozen'), plan, other: plan }) },
);
