import type { AdminOffer } from '@souk/contract/admin/offers.ts';
import { formatCount, formatMoney } from '#ui/text/amount.ts';
import { Badge } from '#ui/state/badge.tsx';
import { Card } from '#ui/card.tsx';
import { Day } from '#ui/text/moment.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { TierBadge } from '#ui/state/tier-badge.tsx';
import { useMedia } from '#ui/use-media.ts';
import { endingText } from './subscribers-text.ts';

export function OfferList({ label, offers }: { label: string; offers: readonly AdminOffer[] }) {
  const isWide = useMedia('(min-width: 768px)');
  if (isWide) {
    const isOfPlans = offers.some(({ fields }) => fields.kind === 'plan');
    const shown = isOfPlans ? columns : columns.filter(({ id }) => id !== 'subscribers').map(withRoom);
    return <Table caption={label} columns={shown} rows={offers} rowKey={({ offerId }) => offerId} />;
  }
  return (
    <ul aria-label={label} className="grid gap-3">
      {offers.map((offer) => (
        <Card as="li" key={offer.offerId} className="flex flex-col gap-2">
          <div className="flex flex-wrap items-start justify-between gap-x-3 gap-y-1">
            <Name offer={offer} />
            <span className="tabular-nums">
              <Price offer={offer} />
            </span>
          </div>
          <p className="flex flex-wrap items-center gap-x-3 gap-y-1 text-quiet">
            <Gives offer={offer} />
            {offer.fields.kind === 'plan' && offer.fields.amount > 0 && <Subscribers offer={offer} />}
          </p>
          <p className="text-[0.8125rem] text-quiet">
            {!offer.edited && 'From '}
            <Source offer={offer} />
          </p>
        </Card>
      ))}
    </ul>
  );
}

/** Packages have no subscribers. The wider column keeps the others aligned with those of the plans. */
const withRoom = (column: TableColumn<AdminOffer>): TableColumn<AdminOffer> =>
  column.id === 'gives' ? { ...column, width: 'w-[44%]' } : column;

const columns: TableColumn<AdminOffer>[] = [
  { id: 'name', header: 'Name', width: 'w-[24%]', rowHeader: true, cell: (offer) => <Name offer={offer} /> },
  { id: 'price', header: 'Price', width: 'w-[12%]', numeric: true, cell: (offer) => <Price offer={offer} /> },
  {
    id: 'gives',
    header: 'Gives',
    width: 'w-[30%]',
    cell: (offer) => (
      <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Gives offer={offer} />
      </span>
    ),
  },
  {
    id: 'subscribers',
    header: 'Subscribers',
    width: 'w-[14%]',
    numeric: true,
    cell: (offer) => <Subscribers offer={offer} />,
  },
  { id: 'source', header: 'Comes from', width: 'w-[20%]', cell: (offer) => <Source offer={offer} /> },
];

function Name({ offer: { offerId, fields, provider } }: { offer: AdminOffer }) {
  return (
    <span className="flex min-w-0 flex-wrap items-center gap-x-2 gap-y-1">
      <TextLink
        dir="auto"
        to="/admin"
        search={{ tab: 'offers', offer: offerId }}
        className="inline-flex min-h-6 items-center font-medium wrap-anywhere"
      >
        {fields.name}
      </TextLink>
      {fields.popular && <Badge tone="accent">Most Popular</Badge>}
      {provider === 'waiting' && <Badge tone="bad">Price not at the provider yet</Badge>}
    </span>
  );
}

function Price({ offer: { fields } }: { offer: AdminOffer }) {
  return (
    <span className="whitespace-nowrap">
      {formatMoney(fields.amount, fields.currency)}
      {fields.kind === 'plan' && <span className="text-quiet">/month</span>}
    </span>
  );
}

function Gives({ offer: { fields } }: { offer: AdminOffer }) {
  if (fields.kind === 'package') {
    const { credits, bonus } = fields;
    return (
      <span className="tabular-nums">
        {formatCount(credits)} credits{bonus > 0 && ` + ${formatCount(bonus)} bonus`}
      </span>
    );
  }
  return (
    <>
      <TierBadge tier={fields.tier} />
      {fields.monthlyCredits > 0 && (
        <span className="tabular-nums">{formatCount(fields.monthlyCredits)} credits a month</span>
      )}
    </>
  );
}

function Subscribers({ offer: { fields, subscribers, ending, olderPrice } }: { offer: AdminOffer }) {
  if (fields.kind === 'package' || fields.amount === 0) return <span className="text-quiet">–</span>;
  return (
    <span className="tabular-nums">
      {formatCount(subscribers)}
      <span className="md:sr-only"> {subscribers === 1 ? 'subscriber' : 'subscribers'}</span>
      {ending > 0 && <span className="block text-[0.8125rem] text-quiet">{endingText(ending)}</span>}
      {olderPrice > 0 && (
        <span className="block text-[0.8125rem] text-quiet">{formatCount(olderPrice)} at an older price</span>
      )}
    </span>
  );
}

function Source({ offer: { edited } }: { offer: AdminOffer }) {
  if (!edited) return 'offers.json';
  return (
    <>
      Edited here on <Day moment={edited.at} />
    </>
  );
}
