import type { Row, Work } from '../work.ts';

const daySeconds = 86_400;

/**
 * Adds a clock that stands still until it is advanced.
 * @param given.frozenTime seconds
 */
export function addTestClock(
  work: Work,
  given: { frozenTime: number; name: string | null },
): Row<'test_helpers.test_clock'> {
  return work.add(
    'test_helpers.test_clock',
    {
      id: work.newId('test_helpers.test_clock'),
      object: 'test_helpers.test_clock',
      created: work.now,
      deletes_after: work.now + 30 * daySeconds,
      frozen_time: given.frozenTime,
      livemode: false,
      name: given.name,
      status: 'ready',
      status_details: {},
    },
    {},
  );
}
