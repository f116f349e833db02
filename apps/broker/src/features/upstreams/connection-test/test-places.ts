import type { Clock } from '#platform/clock.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';

/** One broker runs at most so many: each may be a process or hold the lists of a server. */
const maxTests = 8;
/** A broker that takes longer has died with its test. */
const longestMs = 120_000;

const full = 'Several connection tests are running on this broker. Try again in a moment.';

/** Who runs a test: each administrator one, on whichever broker, and the operator's commands of each broker one. */
export type TestPlaces = {
  /** @returns what gives the place back @throws SoukError too_many_tests */
  take(testId: string, userId: string | undefined): Promise<() => Promise<void>>;
};

export function createTestPlaces({ query, clock }: { query: Query; clock: Clock }): TestPlaces {
  let taken = 0;
  let operatorHasOne = false;

  async function claim(testId: string, userId: string): Promise<boolean> {
    const nowMs = clock.now();
    const { rows } = await query(
      `insert into connection_tests as t (user_id, id, expires_at) values ($1, $2, $3)
       on conflict (user_id) do update set id = excluded.id, expires_at = excluded.expires_at
       where t.expires_at <= $4 returning id`,
      [userId, testId, new Date(nowMs + longestMs), new Date(nowMs)],
    );
    return rows.length === 1;
  }

  return {
    async take(testId, userId) {
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
