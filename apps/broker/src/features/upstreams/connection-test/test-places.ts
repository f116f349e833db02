import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';

/** Concurrent tests per broker: each may be a process, or have a server's lists in memory. */
const maxTests = 8;
/** Time after which a test is considered lost with its broker. */
const claimMs = 120_000;

const full = 'Several connection tests are running on this broker. Try again in a moment.';

/** Limits tests to one per administrator across all brokers, and one by command per broker. */
export function createTestPlaces({ query, clock }: { query: Query; clock: Clock }) {
  let taken = 0;
  let operatorHasOne = false;

  async function claim(testId: string, userId: string): Promise<boolean> {
    const nowMs = clock.now();
    const { rows } = await query(
      `insert into connection_tests as t (user_id, id, expires_at) values ($1, $2, $3)
       on conflict (user_id) do update set id = excluded.id, expires_at = excluded.expires_at
       where t.expires_at <= $4 returning id`,
      [userId, testId, new Date(nowMs + claimMs), new Date(nowMs)],
    );
    return rows.length === 1;
  }

  return {
    /** @returns a function that releases the place. @throws SoukError too_many_tests */
    async take(testId: string, userId: string | undefined): Promise<() => Promise<void>> {
      if (taken >= maxTests) throw new SoukError('too_many_tests', { message: full });
      if (userId === undefined && operatorHasOne) throw new SoukError('too_many_tests');
      taken++;
      try {
        if (userId !== undefined && !(await claim(testId, userId))) throw new SoukError('too_many_tests');
      } catch (error) {
        taken--;
        throw error;
      }
      if (userId === undefined) operatorHasOne = true;
      return async () => {
        taken--;
        if (userId === undefined) operatorHasOne = false;
        else await query('delete from connection_tests where user_id = $1 and id = $2', [userId, testId]);
      };
    },
  };
}
