import type { PersonPayment } from '@souk/contract/admin/person.ts';
import type { AdminUser } from '@souk/contract/admin/users.ts';
import type { TransactionStatus, TransactionType } from '@souk/contract/billing/billing-history.ts';
import { useQuery } from '@tanstack/react-query';
import { useState, type ReactNode } from 'react';
import { formatMoney } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { preloadDialog } from '#ui/overlay/dialog.tsx';
import { EachOpening } from '#ui/overlay/each-opening.tsx';
import { Facts } from '#ui/text/facts.tsx';
import { Day } from '#ui/text/moment.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { StatusBadge, type StatusTone } from '#ui/state/status-badge.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { TextAnchor } from '#ui/text/text-link.tsx';
import { TotalsLine } from '#web/texts/totals-line.tsx';
import { PagedList } from '../paged-list.tsx';
import { paymentsQuery, type PersonListProps } from '../person-queries.ts';
import { disputeLabel, disputeTexts } from './dispute-text.ts';
import { RefundDialog } from './refund-dialog.tsx';

const kinds: Readonly<Record<TransactionType, string>> = {
  credit_purchase: 'Credits',
  subscription_create: 'Subscription',
  subscription_update: 'Subscription updated',
  subscription_cancel: 'Subscription canceled',
  rental_create: 'Rental',
  rental_cancel: 'Rental canceled',
  refund: 'Refund',
};
const tones: Readonly<Record<TransactionStatus, StatusTone>> = {
  completed: 'good',
  pending: 'idle',
  refunded: 'idle',
  failed: 'bad',
};

export function PaymentsPart({ adminId, personId, user, search, onChange }: PersonListProps & { user: AdminUser }) {
  const list = useQuery(paymentsQuery(adminId, personId, search));
  const [asked, setAsked] = useState<PersonPayment>();
  const refundButton = (payment: PersonPayment) =>
    payment.refund && payment.refund.leftCents > 0 ? (
      <Button size="small" onPointerEnter={preloadDialog} onClick={() => setAsked(payment)}>
        Refund<span className="sr-only">: {payment.description}</span>
      </Button>
    ) : null;
  const columns = columnsWith(refundButton);
  return (
    <div className="flex flex-col gap-4">
      {search.payment !== undefined && (
        <Notice
          action={
            <Button size="small" className="-my-1" onClick={() => onChange({ payment: undefined })}>
              All payments
            </Button>
          }
        >
          One payment, with its refunds.
        </Notice>
      )}
      <PagedList
        list={list}
        label="payments"
        search={search}
        onChange={onChange}
        count={({ payments }) => payments.length}
        empty={{ title: 'No payments', text: 'Payments of this user and their refunds appear here.' }}
      >
        {({ payments }) => <Table caption="Payments" columns={columns} rows={payments} rowKey={({ id }) => id} />}
      </PagedList>
      <EachOpening asked={asked}>
        {({ refund, ...payment }, open) =>
          refund && (
            <RefundDialog
              user={user}
              payment={{ ...payment, refund }}
              open={open}
              onClose={() => setAsked(undefined)}
            />
          )
        }
      </EachOpening>
    </div>
  );
}

/** The columns of the payments. The button has its own column, or is below the name on a phone. */
const columnsWith = (refundButton: (payment: PersonPayment) => ReactNode): TableColumn<PersonPayment>[] => [
  {
    id: 'what',
    header: 'Payment',
    rowHeader: true,
    cell: (payment) => (
      <div className="min-w-32">
        <span dir="auto" className="wrap-anywhere">
          {payment.description}
        </span>
        <div className="text-[0.8125rem] font-normal text-quiet">
          <Facts>
            {kinds[payment.type]}
            {payment.mcpId}
          </Facts>
          <span className="block sm:hidden">
            <Day moment={payment.createdAt} />
          </span>
          <TotalsLine totals={payment.totals} currency={payment.currency} />
          <RefundedAmounts {...payment} />
          {payment.dispute && <span className="block">{disputeTexts[payment.dispute.state]}</span>}
        </div>
        <div className="mt-1 flex flex-wrap items-center gap-x-2.5 gap-y-1 text-[0.8125rem] font-normal sm:hidden">
          <PaymentStatus {...payment} />
          <Receipt {...payment} />
          {refundButton(payment)}
        </div>
      </div>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    wideOnly: true,
    cell: (payment) => <PaymentStatus {...payment} />,
  },
  { id: 'date', header: 'Date', wideOnly: true, cell: ({ createdAt }) => <Day moment={createdAt} /> },
  { id: 'receipt', header: 'Receipt', wideOnly: true, cell: (payment) => <Receipt {...payment} /> },
  {
    id: 'amount',
    header: 'Amount',
    numeric: true,
    cell: ({ type, amount, currency }) => (
      <span className="font-medium whitespace-nowrap">
        {/* signed like revenue: refunds are negative */}
        {formatMoney(type === 'refund' ? -amount : amount, currency)}
      </span>
    ),
  },
  { id: 'refund', header: 'Refund', hideHeader: true, numeric: true, wideOnly: true, cell: refundButton },
];

function PaymentStatus({ status, dispute }: PersonPayment) {
  if (!dispute) return <StatusBadge status={status} tone={tones[status]} />;
  return (
    <StatusBadge status="disputed" tone={dispute.state === 'won' ? 'good' : 'bad'}>
      {disputeLabel(dispute)}
    </StatusBadge>
  );
}

function RefundedAmounts({ refund, currency }: PersonPayment) {
  if (!refund) return null;
  const { refundedCents, pendingCents } = refund;
  return (
    <>
      {refundedCents > 0 && <span className="block">{formatMoney(refundedCents, currency)} refunded</span>}
      {pendingCents > 0 && <span className="block">{formatMoney(pendingCents, currency)} is being refunded</span>}
    </>
  );
}

function Receipt({ receiptUrl, description }: PersonPayment) {
  if (receiptUrl === null) return null;
  return (
    <TextAnchor href={receiptUrl} newTab>
      Receipt<span className="sr-only"> of {description}</span>
    </TextAnchor>
  );
}
