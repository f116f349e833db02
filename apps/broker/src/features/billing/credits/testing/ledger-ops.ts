import fc from 'fast-check';
import type { LotSource } from '../accounts/change-credits.ts';

/** Operations on an account on two brokers. `of` and `again` choose among earlier operations. */
export type LedgerOp =
  | { kind: 'grant'; credits: number; source: LotSource; expires: boolean; again: boolean }
  | { kind: 'claw-back'; of: number; credits: number; contra: 'refund' | 'dispute' }
  | { kind: 'set'; credits: number }
  | { kind: 'hold'; broker: 0 | 1; price: number }
  | { kind: 'end'; of: number; isCharged: boolean }
  | { kind: 'replay'; of: number; broker: 0 | 1 }
  | { kind: 'expire' }
  | { kind: 'fail'; broker: 0 | 1; when: 'before' | 'after' }
  | { kind: 'kill'; broker: 0 | 1 };

const broker = fc.constantFrom<0 | 1>(0, 1);
const credits = fc.integer({ min: 1, max: 40 });
const index = fc.nat({ max: 30 });
const hold = fc.record({ kind: fc.constant('hold' as const), broker, price: fc.integer({ min: 1, max: 20 }) });
const end = fc.record({ kind: fc.constant('end' as const), of: index, isCharged: fc.boolean() });
export const ledgerOp: fc.Arbitrary<LedgerOp> = fc.oneof(
  { weight: 5, arbitrary: hold },
  { weight: 5, arbitrary: end },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant('grant' as const),
      credits,
      source: fc.constantFrom<LotSource>('plan', 'promotional', 'purchased'),
      expires: fc.boolean(),
      again: fc.boolean(),
    }),
  },
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('claw-back' as const),
      of: index,
      credits,
      contra: fc.constantFrom<'refund' | 'dispute'>('refund', 'dispute'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('set' as const), credits: fc.nat({ max: 60 }) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('replay' as const), of: index, broker }) },
  { weight: 1, arbitrary: fc.constant({ kind: 'expire' as const }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant('fail' as const),
      broker,
      when: fc.constantFrom<'before' | 'after'>('before', 'after'),
    }),
  },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant('kill' as const), broker }) },
);
