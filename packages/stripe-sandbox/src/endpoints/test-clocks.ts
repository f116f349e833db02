import { parameters, text, whole } from '../api/parameters.ts';
import { route } from '../api/route.ts';
import { badRequest } from '../api/stripe-error.ts';
import { addTestClock } from '../time/add-test-clock.ts';
import { advanceTime } from '../time/advance-time.ts';
import { checkAdvance } from '../time/check-advance.ts';
import { emit } from '../webhooks/emit-event.ts';
import { findObject, listRoute, readRoute } from './object-routes.ts';

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
  listRoute('test_helpers.test_clock', 'test_helpers/test_clocks'),
  readRoute('test_helpers.test_clock', 'test_helpers/test_clocks'),
  route(
    'POST',
    'test_helpers/test_clocks/:id/advance',
    parameters({ frozen_time: whole }),
    async ({ work, given, id }) => {
      const clock = await findObject(work, 'test_helpers.test_clock', id);
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
