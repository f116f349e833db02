import type { UserBilling } from '@souk/contract/admin/billing.ts';
import { OwnedLists } from '../users/details/owned-lists.tsx';
import type { BillingUser } from '../users/owned.ts';

/** What the person rents, subscribes to, bought and was given, until when; each can be removed. */
export function AccessPart({ user, billing }: { user: BillingUser; billing: UserBilling }) {
  return (
    <section aria-label="Access" className="flex flex-col gap-5">
      <OwnedLists user={user} billing={billing} />
    </section>
  );
}
