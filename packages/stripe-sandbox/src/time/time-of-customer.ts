import type { Work } from '../work.ts';

/** Moves the work to the time of a customer, who may have a test clock. */
export async function enterTimeOf(work: Work, customer: string | null): Promise<void> {
  const row = customer === null ? undefined : await work.get('customer', customer);
  const clock = row?.body.test_clock;
  work.time = clock ? (await work.need('test_helpers.test_clock', clock)).body.frozen_time : work.now;
}

/** The clock that decides when something happens to what belongs to a customer. */
export async function clockOf(work: Work, customer: string | null): Promise<string | null> {
  const row = customer === null ? undefined : await work.get('customer', customer);
  return row?.body.test_clock ?? null;
}
