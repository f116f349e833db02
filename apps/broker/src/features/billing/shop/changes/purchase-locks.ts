import { setTimeout as pause } from 'node:timers/promises';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import type { Log } from '#platform/log.ts';
import { findPayer } from './find-payer.ts';

/** Silence after which other brokers take over a lock: its holder was killed, or is frozen. */
const lifeSeconds = 30;
const beatMs = 5_000;
/** How long a second change waits for the first one. */
const patienceMs = 5_000;
const retryEveryMs = 200;

/** Proof that the caller has the lock of a user's purchases. */
export type PurchaseLock = {
  readonly userId: string;
  /** Call it right before a write at the provider: a frozen broker may have lost the lock. @throws SoukError change_under_way */
  confirm(): Promise<void>;
};

type Options = {
  lock?: PurchaseLock | undefined;
};

/**
 * Serializes the changes of a user's purchases on all brokers. The lock is a row and not a transaction: the owner has it while
 * requests to the provider are in progress. It is taken before the advisory lock `access:{userId}`.
 */
export type PurchaseLocks = {
  /** @throws SoukError change_under_way where another change outlasts the wait; the errors of the work */
  run<T>(userId: string, work: (lock: PurchaseLock) => Promise<T>, options?: Options): Promise<T>;
  /** The same for the payer of a subscription; without a lock where the subscription is unknown here. */
  runFor<T>(
    providerSubscriptionId: string,
    work: (lock: PurchaseLock | undefined) => Promise<T>,
    options?: Options,
  ): Promise<T>;
  /** The same, but returns undefined where another change outlasts the wait. */
  tryRun<T>(userId: string, work: (lock: PurchaseLock) => Promise<T>, lock?: PurchaseLock): Promise<T | undefined>;
};

export function createPurchaseLocks({
  query,
  livemode,
  uuid,
  log,
}: {
  query: Query;
  livemode: boolean;
  uuid: () => string;
  log: Log;
}): PurchaseLocks {
  async function take(userId: string, holder: string): Promise<boolean> {
    const { rows } = await query(
      `insert into purchase_locks as l (user_id, livemode, holder, until)
       values ($1, $2, $3, clock_timestamp() + make_interval(secs => $4))
       on conflict (user_id, livemode) do update set holder = excluded.holder, until = excluded.until
         where l.until < clock_timestamp() returning holder`,
      [userId, livemode, holder, lifeSeconds],
    );
    return rows.length === 1;
  }

  /** @returns false where another broker has taken the lock over */
  async function extend(userId: string, holder: string): Promise<boolean> {
    const { rows } = await query(
      `update purchase_locks set until = clock_timestamp() + make_interval(secs => $4)
       where user_id = $1 and livemode = $2 and holder = $3 returning holder`,
      [userId, livemode, holder, lifeSeconds],
    );
    return rows.length === 1;
  }

  async function waitFor(userId: string, holder: string): Promise<void> {
    const endsAtMs = performance.now() + patienceMs;
    while (!(await take(userId, holder))) {
      if (performance.now() >= endsAtMs) throw new SoukError('change_under_way');
      await pause(retryEveryMs);
    }
  }

  const run: PurchaseLocks['run'] = async (userId, work, { lock } = {}) => {
    if (lock?.userId === userId) return work(lock);
    const holder = uuid();
    await waitFor(userId, holder);
    const warn = (error: unknown) =>
      log.warn({ err: error, userId }, 'the lock of purchases could not be extended or released');
    const beat = setInterval(() => void extend(userId, holder).catch(warn), beatMs).unref();
    try {
      return await work({
        userId,
        async confirm() {
          if (!(await extend(userId, holder))) throw new SoukError('change_under_way');
        },
      });
    } finally {
      clearInterval(beat);
      // a lock that is not released expires
      await query('delete from purchase_locks where user_id = $1 and livemode = $2 and holder = $3', [
        userId,
        livemode,
        holder,
      ]).catch(warn);
    }
  };

  return {
    run,
    async runFor(providerSubscriptionId, work, options) {
      const userId = options?.lock?.userId ?? (await findPayer(query, providerSubscriptionId));
      return userId === undefined ? work(undefined) : run(userId, work, options);
    },
    tryRun: (userId, work, lock) =>
      run(userId, work, { lock }).catch((error: unknown) => {
        if (isChangeUnderWay(error)) return undefined;
        throw error;
      }),
  };
}

export const isChangeUnderWay = (error: unknown): boolean =>
  error instanceof SoukError && error.code === 'change_under_way';
