import { tiers } from '@souk/contract/tiers.ts';
import { Select } from '#ui/select.tsx';
import { sells } from '#web/config.ts';
import { keysOf, priceLabels, sortLabels, statusLabels, type MarketplaceSearch } from './find-servers.ts';
import { typeOptions } from './search-and-filter.tsx';

const tierOptions = [
  { value: '', label: 'All Tiers' },
  ...keysOf(tiers).map((tier) => ({ value: tier, label: `${tier} ${tiers[tier].name}` })),
] as const;
const priceOptions = [
  { value: '', label: 'Any Price' },
  ...keysOf(priceLabels).map((price) => ({ value: price, label: priceLabels[price] })),
] as const;
const statusOptions = [
  { value: '', label: 'Any Status' },
  ...keysOf(statusLabels).map((status) => ({ value: status, label: statusLabels[status] })),
] as const;
const sortOptions = [
  { value: '', label: 'Sorted by name' },
  ...keysOf(sortLabels)
    .filter((sort) => sells || sort !== 'price')
    .map((sort) => ({ value: sort, label: sortLabels[sort] })),
] as const;

/** Filters and order; each is a word in the address. */
export function MarketplaceFilters({
  search,
  onChange,
}: {
  search: MarketplaceSearch;
  onChange: (change: MarketplaceSearch) => void;
}) {
  return (
    <div role="group" aria-label="Filters" className="grid grid-cols-2 gap-2 sm:grid-cols-3 lg:flex">
      <Select
        aria-label="Type"
        className="lg:w-36"
        options={typeOptions}
        value={search.type ?? ''}
        onChange={(type) => onChange({ type: type === '' ? undefined : type })}
      />
      <Select
        aria-label="Tier"
        className="lg:w-36"
        options={tierOptions}
        value={search.tier ?? ''}
        onChange={(tier) => onChange({ tier: tier === '' ? undefined : tier })}
      />
      {sells && (
        <Select
          aria-label="Price"
          className="lg:w-28"
          options={priceOptions}
          value={search.price ?? ''}
          onChange={(price) => onChange({ price: price === '' ? undefined : price })}
        />
      )}
      <Select
        aria-label="Status"
        className="lg:w-34"
        options={statusOptions}
        value={search.status ?? ''}
        onChange={(status) => onChange({ status: status === '' ? undefined : status })}
      />
      <Select
        aria-label="Sort by"
        className="max-sm:col-span-2 lg:w-44"
        options={sortOptions}
        value={search.sort ?? ''}
        onChange={(sort) => onChange({ sort: sort === '' ? undefined : sort })}
      />
    </div>
  );
}
