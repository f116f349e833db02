import { listObjects } from '../api/list.ts';
import { listParameters, parameters, text, whole } from '../api/parameters.ts';
import { route } from '../api/route.ts';
import { badRequest, noSuch } from '../api/stripe-error.ts';
import { addTestClock } from '../time/add-test-clock.ts';
import { advanceTime } from '../time/advance-time.ts';
import { checkAdvance } from '../time/check-advance.ts';
import { emit } from '../webhooks/emit-event.ts';
import type { Row, Work } from '../work.ts';

export const testClockRoutes = [
  route(
    'POST',
    'test_helpers/test_clocks',
    parameters({ frozen_time: whole, name: text.max(300).optional() }),
    async ({ work, given }) => {
      const row = addTestClock(work, { frozenTime: given.frozen_time, name: given.name ?? null });
      emit(work, 'test_helpers.test_clock.created', row.body);
      return row.body;
    },
  ),
  route('GET', 'test_helpers/test_clocks', listParameters({}), ({ work, given }) =>
    listObjects(work, 'test_helpers.test_clock', 'test_helpers/test_clocks', given),
  ),
  route('GET', 'test_helpers/test_clocks/:id', parameters({}), async ({ work, id }) => (await find(work, id)).body),
  route(
    'POST',
    'test_helpers/test_clocks/:id/advance',
    parameters({ frozen_time: whole }),
    async ({ work, given, id }) => {
      const clock = await find(work, id);
      await checkAdvance(work, clock.body, given.frozen_time);
      if (!(await advanceTime(work, clock.id, given.frozen_time * 1000))) {
        throw badRequest('Too much happens until then: advance the clock in smaller steps.', { param: 'frozen_time' });
      }
      clock.body.frozen_time = given.frozen_time;
      work.time = given.frozen_time;
      work.save(clock);
      emit(work, 'test_helpers.test_clock.ready', clock.body);
      return clock.body;
    },
  ),
];

async function find(work: Work, id: string): Promise<Row<'test_helpers.test_clock'>> {
  const row = await work.get('test_helpers.test_clock', id);
  if (!row) throw noSuch('test_helpers.test_clock', id);
  return row;
}
