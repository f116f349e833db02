import type { testProjects } from './test-steps.ts';

/** An invariant of the specification that a test checks in a short form, and `npm run prove` at full size. */
export type Proof = {
  description: string;
  /** The project and file of its test, and the beginning of the test's name. */
  project: (typeof testProjects)[number];
  file: string;
  test: string;
};

const hostile = { project: 'timed', file: 'e2e/hostile.test.ts' } as const;

export const proofs: Readonly<Record<string, Proof>> = {
  I1: {
    project: 'unit',
    file: 'apps/broker/src/ledger-model.test.ts',
    test: '[I1]',
    description: 'credits add up: 1,000 sequences of changes, calls, faults and killed brokers, on each database',
  },
  I2: {
    project: 'unit',
    file: 'apps/broker/src/paid-calls-proof.test.ts',
    test: '[I2]',
    description: 'no double or lost charge: 20,000 calls of 50 clients, on each database',
  },
  I3: {
    project: 'unit',
    file: 'apps/broker/src/paid-calls-proof.test.ts',
    test: '[I3]',
    description: 'one record of each answered paid call: 100 kill -9 of the broker under load, on each database',
  },
  chaos: {
    project: 'unit',
    file: 'apps/broker/src/money-chaos.test.ts',
    test: '[chaos]',
    description:
      'credits add up: 10,000 calls, two brokers killed and frozen, grants, expiries, claw-backs, caps, prices',
  },
  I5: { ...hostile, test: '[I5]', description: 'bad upstreams do not slow the others: 10,000 calls to healthy ones' },
  I6: { ...hostile, test: '[I6]', description: 'lists within 300 ms with every upstream down, 100 times each' },
  I7: { ...hostile, test: '[I7]', description: 'the event loop under every fault, during 10,000 calls' },
  reconcile: {
    project: 'unit',
    file: 'apps/broker/src/features/billing/checkout/reconcile.test.ts',
    test: '[reconcile]',
    description: '10,000 orders compared with the payment provider: 4,000 open, 4,000 expired, 2,000 paid',
  },
  'stdio-cycles': {
    project: 'unit',
    file: 'apps/broker/src/features/upstreams/processes/supervisor.test.ts',
    test: '[I8]',
    description: '200 cycles of call, crash and idle end leave no process, handle or timer behind',
  },
};
