import type { NextCharge, SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import type { PaymentMethod } from '@souk/contract/billing/payments.ts';
import { useQuery } from '@tanstack/react-query';

import { Facts } from '#ui/text/facts.tsx';
import { Day } from '#ui/text/moment.tsx';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { chargeText } from '#web/texts/charge-text.ts';
import { TotalsLine } from '#web/texts/totals-line.tsx';
import { paymentMethodText } from '../payment-method-text.ts';
import { offersQuery, paymentMethodsQuery } from '../queries.ts';

type Upcoming = { id: string; name: string; charge: NextCharge; method: PaymentMethod | undefined };

const columns: readonly TableColumn<Upcoming>[] = [
  {
    id: 'what',
    header: 'For',
    rowHeader: true,
    cell: ({ name, charge, method }) => (
      <div className="min-w-32 wrap-anywhere">
        {name}
        <Facts className="text-xs/5 font-normal text-quiet sm:hidden">
          <Day moment={charge.at} />
          {method && paymentMethodText(method)}
        </Facts>
        <TotalsLine {...charge} />
      </div>
    ),
  },
  { id: 'date', header: 'Date', wideOnly: true, cell: ({ charge }) => <Day moment={charge.at} /> },
  { id: 'method', header: 'Charged to', wideOnly: true, cell: ({ method }) => method && paymentMethodText(method) },
  {
    id: 'amount',
    header: 'Amount',
    numeric: true,
    cell: ({ charge }) => <span className="whitespace-nowrap">{chargeText(charge)}</span>,
  },
];

/** The next charge of each plan and rental, the soonest first. */
export function UpcomingCharges({ userId, owned }: { userId: string; owned: SubscriptionAnswer['subscription'] }) {
  const { data } = useQuery(paymentMethodsQuery(userId));
  const hasNext = owned.subscriptions.some(({ nextPlanId }) => nextPlanId !== null);
  const { data: offers } = useQuery({ ...offersQuery, enabled: hasNext });
  const nameOf = (planId: string) => offers?.plans.find((plan) => plan.planId === planId)?.name ?? planId;
  const methodOf = (id: string) => data?.paymentMethods.find(({ pays }) => pays === id)?.method;
  const rows = [
    ...owned.subscriptions.map(({ id, planName, nextPlanId, charge }) => ({
      id,
      name: `${nextPlanId === null ? planName : nameOf(nextPlanId)} plan`,
      charge,
    })),
    ...owned.rentals.map(({ id, name, charge }) => ({ id, name: `Rental of ${name}`, charge })),
  ]
    .flatMap(({ charge, ...one }) => (charge ? [{ ...one, charge, method: methodOf(one.id) }] : []))
    .sort((a, b) => Date.parse(a.charge.at) - Date.parse(b.charge.at));
  if (rows.length === 0) return null;
  return (
    <TitledSection
      id="upcoming-heading"
      title="Upcoming charges"
      text="Cancel before the date, and nothing is charged."
    >
      <Table caption="What you are charged next" columns={columns} rows={rows} rowKey={({ id }) => id} />
    </TitledSection>
  );
}
