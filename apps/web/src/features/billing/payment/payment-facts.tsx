import type { PaymentSession } from '@souk/contract/billing/payments.ts';
import { formatMoney } from '#ui/text/amount.ts';
import { LinkButton } from '#ui/link-button.tsx';
import { config } from '#web/config.ts';
import { RentedTools } from './rented-tools.tsx';

const boughtTexts: Record<PaymentSession['metadata']['type'], { title: string; text: string }> = {
  rental: {
    title: 'Your rental has started',
    text: 'Your rental renews each month until you cancel.',
  },
  credits: {
    title: 'Your credits are here',
    text: 'Credits never expire, and pay for the calls that have a price.',
  },
  subscription: { title: 'Your plan has started', text: 'Your plan renews each month until you cancel.' },
};

export function PaidFacts({ session }: { session: PaymentSession }) {
  const { title, text } = boughtTexts[session.metadata.type];
  const { amountTotal, currency, customerEmail, totals, metadata } = session;
  const parts = totals
    ? [
        { name: 'Subtotal', amount: totals.subtotal },
        { name: 'Discount', amount: -totals.discount },
        { name: 'Tax', amount: totals.tax },
      ].filter(({ amount }) => amount !== 0)
    : [];
  return (
    <div className="w-full rounded-md border border-line text-left">
      <div className="px-4 py-3">
        <h2 className="font-medium">{title}</h2>
        <p className="mt-0.5 text-quiet">
          {metadata.type === 'rental' && metadata.mcpId !== null && <RentedTools serverId={metadata.mcpId} />}
          {text}
        </p>
      </div>
      <dl className="divide-y divide-line border-t border-line">
        {parts.map(({ name, amount }) => (
          <div key={name} className="flex justify-between gap-4 px-4 py-2.5">
            <dt className="text-quiet">{name}</dt>
            <dd className="tabular-nums">{formatMoney(amount, currency)}</dd>
          </div>
        ))}
        <div className="flex justify-between gap-4 px-4 py-2.5">
          <dt className="text-quiet">Paid</dt>
          <dd className="font-medium tabular-nums">{formatMoney(amountTotal, currency)}</dd>
        </div>
        {/* the demo sends no mail */}
        {config.payments === 'stripe' && customerEmail !== null && (
          <div className="flex justify-between gap-4 px-4 py-2.5">
            <dt className="shrink-0 text-quiet">Receipt to</dt>
            <dd className="min-w-0 wrap-anywhere">{customerEmail}</dd>
          </div>
        )}
      </dl>
    </div>
  );
}

/** The next step after a payment, by what was bought (spec part 2, section 4). */
export function WhatIsNext({ metadata }: { metadata: PaymentSession['metadata'] }) {
  const { type, mcpId } = metadata;
  if (type === 'rental' && mcpId !== null) {
    return (
      <LinkButton variant="primary" to="/service/$serviceId" params={{ serviceId: mcpId }}>
        Start Using Service
      </LinkButton>
    );
  }
  if (type === 'rental') {
    return (
      <LinkButton variant="primary" to="/dashboard">
        Go to Dashboard
      </LinkButton>
    );
  }
  return (
    <LinkButton variant="primary" to="/dashboard" search={{ tab: 'billing' }}>
      {type === 'credits' ? 'View Credit Balance' : 'Manage Subscription'}
    </LinkButton>
  );
}
