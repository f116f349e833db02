import type { Rows, Storage } from './storage/storage.ts';

const hourMs = 3_600_000;
const dayMs = 24 * hourMs;

/** How long events, keys and ended sessions are kept, and how many of them. Stripe keeps events for 30 days and keys for one. */
const limits: readonly { kind: string; ageMs: number; keep: number; body?: object }[] = [
  { kind: 'event', ageMs: 30 * dayMs, keep: 20_000 },
  { kind: 'kept_answer', ageMs: dayMs, keep: 5_000 },
  { kind: 'delivery', ageMs: 3 * dayMs, keep: 2_000 },
  { kind: 'checkout.session', ageMs: 30 * dayMs, keep: 20_000, body: { status: 'expired' } },
  { kind: 'payment_intent', ageMs: 30 * dayMs, keep: 20_000, body: { status: 'requires_payment_method' } },
  { kind: 'charge', ageMs: 30 * dayMs, keep: 20_000, body: { status: 'failed' } },
];

/** Then nothing new is made: a stand-in with that much in it is used for something else. */
const maxRows = 1_000_000;

/** Removes what is old. @returns whether the sandbox is full all the same */
export async function keepHouse(storage: Storage, nowMs: number): Promise<boolean> {
  return storage.transaction('write', async (rows: Rows) => {
    for (const { kind, ageMs, keep, body } of limits) {
      await rows.prune(kind, { beforeMs: nowMs - ageMs, keep, ...(body && { body }) });
    }
    return (await rows.count()) > maxRows;
  });
}

export const houseEveryMs = hourMs;
