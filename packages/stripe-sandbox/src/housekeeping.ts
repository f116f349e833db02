import type { Rows, Storage } from './storage/storage.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** Retention by age and number. Stripe keeps events for 30 days and idempotency keys for one. */
const limits: readonly { kind: string; ageMs: number; keep: number; body?: object }[] = [
  { kind: 'event', ageMs: 30 * dayMs, keep: 20_000 },
  { kind: 'kept_answer', ageMs: dayMs, keep: 5_000 },
  { kind: 'delivery', ageMs: 3 * dayMs, keep: 2_000 },
  { kind: 'checkout.session', ageMs: 30 * dayMs, keep: 20_000, body: { status: 'expired' } },
  { kind: 'payment_intent', ageMs: 30 * dayMs, keep: 20_000, body: { status: 'requires_payment_method' } },
  { kind: 'charge', ageMs: 30 * dayMs, keep: 20_000, body: { status: 'failed' } },
];

/** Rows above which writes are refused: a sandbox with more rows is being misused. */
const maxRows = 1_000_000;

/**
 * Removes old rows.
 * @returns whether the sandbox is still full
 */
export async function runHousekeeping(storage: Storage, nowMs: number): Promise<boolean> {
  return storage.transaction('write', async (rows: Rows) => {
    for (const { kind, ageMs, keep, body } of limits) {
      await rows.prune(kind, { beforeMs: nowMs - ageMs, keep, ...(body && { body }) });
    }
    return (await rows.count()) > maxRows;
  });
}

export const housekeepingEveryMs = hourMs;
