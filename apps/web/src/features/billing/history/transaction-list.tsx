import type { Transaction, TransactionStatus, TransactionType } from '@souk/contract/billing-history.ts';
import { formatMoney } from '#ui/amount.ts';
import { Day } from '#ui/moment.tsx';
import { StatusBadge, type StatusTone } from '#ui/status-badge.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { TextAnchor } from '#ui/text-link.tsx';

const typeLabels: Record<TransactionType, string> = {
  credit_purchase: 'Credits',
  subscription_create: 'Subscription',
  // a change of plan, and a renewal
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
    cell: ({ description, type, mcpId, createdAt, receiptUrl, status }) => (
      <div className="min-w-32">
        {description}
        <div className="text-xs/5 font-normal text-quiet">
          {typeLabels[type]}
          {mcpId !== null && ` · ${mcpId}`}
          <span className="sm:hidden">
            {' · '}
            <Day moment={createdAt} />
            {receiptUrl !== null && (
              <>
                {' · '}
                <Receipt url={receiptUrl} of={description} />
              </>
            )}
          </span>
          <span className="mt-1 flex sm:hidden">
            <StatusBadge status={status} tone={tones[status]} />
          </span>
        </div>
      </div>
    ),
  },
  {
    id: 'status',
    header: 'Status',
    wideOnly: true,
    cell: ({ status }) => <StatusBadge status={status} tone={tones[status]} />,
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

/** Transactions, newest first. */
export function TransactionList({ caption, transactions }: { caption: string; transactions: readonly Transaction[] }) {
  return <Table caption={caption} columns={columns} rows={transactions} rowKey={({ id }) => id} />;
}

function Receipt({ url, of }: { url: string; of: string }) {
  return (
    <TextAnchor href={url} newTab>
      Receipt<span className="sr-only"> of {of}</span>
    </TextAnchor>
  );
}

/** A refund came back, everything else was paid (spec part 2, section 2). */
function Amount({ type, amount, currency }: Transaction) {
  const text = formatMoney(amount, currency);
  if (type === 'refund') return <span className="font-medium whitespace-nowrap text-good">+{text}</span>;
  return <span className="font-medium whitespace-nowrap">{amount === 0 ? text : `-${text}`}</span>;
}
