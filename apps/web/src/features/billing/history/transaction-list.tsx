import type { Transaction, TransactionStatus, TransactionType } from '@souk/contract/billing/billing-history.ts';
import { Facts } from '#ui/text/facts.tsx';
import { formatMoney } from '#ui/text/amount.ts';
import { Day } from '#ui/text/moment.tsx';
import { StatusBadge, type StatusTone } from '#ui/state/status-badge.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { TextAnchor } from '#ui/text/text-link.tsx';
import { TotalsLine } from '#web/texts/totals-line.tsx';
import { disputeText, isOpen } from './dispute-text.ts';

const typeLabels: Record<TransactionType, string> = {
  credit_purchase: 'Credits',
  subscription_create: 'Subscription',
  // a change of plan or a renewal
  subscription_update: 'Subscription updated',
  subscription_cancel: 'Subscription canceled',
  rental_create: 'Rental',
  rental_cancel: 'Rental canceled',
  refund: 'Refund',
};
const tones: Record<TransactionStatus, StatusTone> = {
  completed: 'good',
  pending: 'idle',
  refunded: 'idle',
  failed: 'bad',
};

const columns: readonly TableColumn<Transaction>[] = [
  {
    id: 'what',
    header: 'Transaction',
    rowHeader: true,
    cell: ({ description, type, mcpId, createdAt, receiptUrl, status, dispute, totals, currency }) => (
      <div className="min-w-32">
        {description}
        <div className="text-xs/5 font-normal text-quiet">
          <Facts className="max-sm:hidden">
            {typeLabels[type]}
            {mcpId}
          </Facts>
          <Facts className="sm:hidden">
            {typeLabels[type]}
            {mcpId}
            <Day moment={createdAt} />
            {receiptUrl !== null && <Receipt url={receiptUrl} of={description} />}
          </Facts>
          <TotalsLine totals={totals} currency={currency} />
          {status === 'pending' && <span className="block">We're checking this payment</span>}
          {dispute && <span className="block max-w-prose">{disputeText({ type, dispute })}</span>}
          <span className="mt-1 flex sm:hidden">
            <Status status={status} dispute={dispute} />
          </span>
        </div>
      </div>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    wideOnly: true,
    cell: ({ status, dispute }) => <Status status={status} dispute={dispute} />,
  },
  { id: 'date', header: 'Date', wideOnly: true, cell: ({ createdAt }) => <Day moment={createdAt} /> },
  {
    id: 'receipt',
    header: 'Receipt',
    wideOnly: true,
    cell: ({ receiptUrl, description }) => receiptUrl !== null && <Receipt url={receiptUrl} of={description} />,
  },
  { id: 'amount', header: 'Amount', numeric: true, cell: (transaction) => <Amount {...transaction} /> },
];

export function TransactionList({ caption, transactions }: { caption: string; transactions: readonly Transaction[] }) {
  return <Table caption={caption} columns={columns} rows={transactions} rowKey={({ id }) => id} />;
}

/** An open dispute replaces the status: the payment may still be undone, so it is not called completed. */
function Status({ status, dispute }: Pick<Transaction, 'status' | 'dispute'>) {
  if (dispute && isOpen(dispute)) return <StatusBadge status="disputed" tone="bad" />;
  return <StatusBadge status={status} tone={tones[status]} />;
}

function Receipt({ url, of }: { url: string; of: string }) {
  return (
    <TextAnchor href={url} newTab>
      Receipt<span className="sr-only"> of {of}</span>
    </TextAnchor>
  );
}

/** A refund was received, everything else was paid (spec part 2, section 2). */
function Amount({ type, amount, currency }: Transaction) {
  const text = formatMoney(amount, currency);
  if (type === 'refund') return <span className="font-medium whitespace-nowrap text-good">+{text}</span>;
  return <span className="font-medium whitespace-nowrap">{amount === 0 ? text : `-${text}`}</span>;
}
