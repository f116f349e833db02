/** An invariant of the specification that a test holds in a short form, and a command at full size. */
export type Proof = {
  description: string;
  /** The project and the file of its test, and what the test's name begins with. */
  project: 'unit' | 'e2e';
  file: string;
  test: string;
};

const hostile = { project: 'e2e', file: 'e2e/hostile.test.ts' } as const;

export const proofs: Readonly<Record<string, Proof>> = {
  I5: { ...hostile, test: '[I5]', description: 'one bad upstream slows nobody else: 10,000 calls to the healthy ones' },
  I6: { ...hostile, test: '[I6]', description: 'lists within 300 ms with every upstream down, 100 times each' },
  I7: { ...hostile, test: '[I7]', description: 'the event loop under every fault, beside 10,000 calls' },
  'stdio-cycles': {
    project: 'unit',
    file: 'apps/broker/src/features/connections/processes/supervisor.test.ts',
    test: '[I8]',
    description: '200 cycles of call, crash and idle end leave no process, handle or timer behind',
  },
};
