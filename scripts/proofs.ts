import type { testProjects } from './tests/steps.ts';

/** An invariant that `npm test` checks in a short form, and `npm run prove` at full size. */
export type Proof = {
  description: string;
  /** Project and files of its tests, and the beginning of their names. */
  project: (typeof testProjects)[number];
  files: readonly string[];
  test: string;
  /** Present if `npm test` runs it at full size too. */
  isAlwaysWhole?: true;
};

const hostile = { project: 'e2e', files: ['e2e/hostile.test.ts'] } as const;

export const proofs: Readonly<Record<string, Proof>> = {
  I1: {
    project: 'unit',
    files: ['apps/broker/src/whole-broker/ledger-model.test.ts'],
    test: '[I1]',
    description: 'credits add up: 1,000 sequences of changes, calls, faults and killed brokers, on each database',
  },
  I2: {
    project: 'unit',
    files: ['apps/broker/src/whole-broker/paid-calls-proof.test.ts'],
    test: '[I2]',
    description: 'no double or lost charge: 20,000 calls of 50 clients, on each database',
  },
  I3: {
    project: 'unit',
    files: ['apps/broker/src/whole-broker/paid-calls-proof.test.ts'],
    test: '[I3]',
    description: 'one record of each answered paid call: 100 kill -9 of the broker under load, on each database',
  },
  I4: {
    project: 'e2e',
    files: ['e2e/restart-time.test.ts'],
    test: '[I4]',
    description: 'ready within 5 s after a kill -9 of the whole product, 20 times',
  },
  chaos: {
    project: 'unit',
    files: ['apps/broker/src/whole-broker/money-chaos.test.ts'],
    test: '[chaos]',
    description:
      'credits add up: 10,000 calls, two brokers killed and frozen, grants, expiries, claw-backs, caps, prices',
  },
  money: {
    project: 'unit',
    files: ['apps/broker/src/whole-broker/purchases-model.test.ts'],
    test: '[money]',
    description:
      'users have what they paid for, less refunds: 2,000 sequences of purchases, changes, cancellations, refunds and disputes, with faults of the provider',
  },
  brokers: {
    project: 'e2e',
    files: ['e2e/brokers.test.ts'],
    test: '[brokers]',
    description:
      'three brokers behind nginx and PgBouncer: restarts, freezes, kills and a failover lose and double nothing',
  },
  crowd: {
    project: 'e2e',
    files: ['e2e/crowd.test.ts'],
    test: '[crowd]',
    description:
      'two brokers with 1,000 servers, of which 300 never answer, and attackers: twenty restarts make no sign-in and no call fail',
  },
  I5: { ...hostile, test: '[I5]', description: 'bad upstreams do not slow the others: 10,000 calls to healthy ones' },
  I6: { ...hostile, test: '[I6]', description: 'lists within 300 ms with every upstream down, 100 times each' },
  I7: { ...hostile, test: '[I7]', description: 'the event loop under every fault, during 10,000 calls' },
  attackers: {
    project: 'e2e',
    files: ['e2e/attackers.test.ts'],
    test: '[I7]',
    description:
      'the event loop alongside attackers (pipelines, unread answers, files, reads), during 10,000 paid calls',
  },
  I8: {
    project: 'e2e',
    files: ['e2e/attackers.test.ts'],
    test: '[I8]',
    description: 'no growth: 50,000 paid calls of 100 clients alongside attackers, whose resources are all freed',
  },
  I9: {
    project: 'e2e',
    files: ['e2e/restart.test.ts'],
    test: '[I9]',
    description: 'sign-ins, tokens, demo data and usage survive a kill -9 of the whole product',
    isAlwaysWhole: true,
  },
  I10: {
    project: 'e2e',
    files: ['e2e/restart.test.ts'],
    test: '[I10]',
    description: 'a stop lets running calls finish, and leaves no process behind',
    isAlwaysWhole: true,
  },
  I11: {
    project: 'unit',
    files: ['apps/broker/src/whole-broker/database-loss-proof.test.ts'],
    test: '[I11]',
    description:
      'a lost database: answers within 2 s, no call without a hold, everything works again within 5 s: 40 losses',
  },
  I12: {
    project: 'unit',
    files: ['apps/broker/src/whole-broker/ledger-model.test.ts'],
    test: '[I12]',
    description:
      'the same seed gives the same result: 200 sequences run twice, with equal steps and entries, on each database',
  },
  I13: {
    project: 'e2e',
    files: ['e2e/backup.test.ts'],
    test: '[I13]',
    description:
      'a backup under paid load, restored by another user on the other database, and back: charges, sign-ins, secrets',
  },
  programs: {
    project: 'unit',
    files: ['apps/broker/src/features/upstreams/processes/limits/greedy-programs.test.ts'],
    test: '[programs]',
    description:
      '22 concurrent users whose programs exhaust the disk, the memory or processes, or flood: all are stopped',
  },
  reconcile: {
    project: 'unit',
    files: ['apps/broker/src/features/billing/shop/checkout/reconcile.test.ts'],
    test: '[reconcile]',
    description: '10,000 orders compared with the payment provider: 4,000 open, 4,000 expired, 2,000 paid',
  },
  tables: {
    project: 'unit',
    files: [
      'apps/broker/src/adapters/mcp/wire/null-of-servers.test.ts',
      'apps/broker/src/features/gateway/fast-path/same-answers.test.ts',
      'apps/broker/src/features/upstreams/sign-in/null-answers.test.ts',
    ],
    test: '[tables]',
    description: 'every case of the large tables of inputs, of which `npm test` runs a sample',
  },
  'stdio-cycles': {
    project: 'unit',
    files: ['apps/broker/src/features/upstreams/processes/supervisor.test.ts'],
    test: '[I8]',
    description: '200 cycles of call, crash and idle end leave no process, handle or timer behind',
  },
};
