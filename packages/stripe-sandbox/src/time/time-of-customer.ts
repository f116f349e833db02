import type { Work } from '../work.ts';

/** Sets the time of the work to that of a customer, who may have a test clock. */
export async function enterTimeOf(work: Work, customer: string | null): Promise<void> {
  const row = customer === null ? undefined : await work.get('customer', customer);
  const clock = row?.body.test_clock;
  work.time = clock ? (await work.need('test_helpers.test_clock', clock)).body.frozen_time : work.now;
}

/** Returns the id of a customer's test clock; null for real time. */
export async function clockOf(work: Work, customer: string | null): Promise<string | null> {
  const row = customer === null ? undefined : await work.get('customer', customer);
  return row?.body.test_clock ?? null;
}
