import { tiers } from '@souk/contract/tiers.ts';
import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal';
import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { classNames } from '#ui/class-names.ts';
import { Dialog, preloadDialog } from '#ui/overlay/dialog.tsx';
import { Select } from '#ui/form/select.tsx';
import { sells } from '#web/config.ts';
import {
  filterCount,
  keysOf,
  priceLabels,
  sortLabels,
  statusLabels,
  type MarketplaceSearch,
} from './marketplace-search.ts';
import { typeOptions } from '../home/search-and-filter.tsx';

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

export type MarketplaceFiltersProps = {
  search: MarketplaceSearch;
  onChange: (change: MarketplaceSearch) => void;
};

/** Filters and order; each is a word in the address. On a phone they stand behind one button with their count. */
export function MarketplaceFilters(props: MarketplaceFiltersProps) {
  return (
    <>
      <div role="group" aria-label="Filters" className="grid grid-cols-3 gap-2 max-sm:hidden lg:flex">
        <Selects {...props} />
      </div>
      <FilterSheet {...props} />
    </>
  );
}

function FilterSheet({ search, onChange }: MarketplaceFiltersProps) {
  const [open, setOpen] = useState(false);
  const count = filterCount(search);
  return (
    <div className="sm:hidden">
      <Button
        wide
        aria-haspopup="dialog"
        onPointerEnter={preloadDialog}
        onClick={() => setOpen(true)}
        icon={<SlidersHorizontal aria-hidden size={16} />}
      >
        {count === 0 ? 'Filter' : `Filter (${count})`}
      </Button>
      <Dialog
        open={open}
        onOpenChange={setOpen}
        title="Filter and sort"
        footer={
          <>
            {count > 0 && (
              <Button
                onClick={() => onChange({ type: undefined, tier: undefined, price: undefined, status: undefined })}
              >
                Clear
              </Button>
            )}
            <Button variant="primary" onClick={() => setOpen(false)}>
              Show services
            </Button>
          </>
        }
      >
        <div className="grid gap-3">
          <Selects search={search} onChange={onChange} wide />
        </div>
      </Dialog>
    </div>
  );
}

function Selects({ search, onChange, wide = false }: MarketplaceFiltersProps & { wide?: boolean }) {
  const width = (columns: string) => classNames(!wide && columns);
  return (
    <>
      <Select
        aria-label="Type"
        className={width('lg:w-36')}
        options={typeOptions}
        value={search.type ?? ''}
        onChange={(type) => onChange({ type: type === '' ? undefined : type })}
      />
      <Select
        aria-label="Tier"
        className={width('lg:w-36')}
        options={tierOptions}
        value={search.tier ?? ''}
        onChange={(tier) => onChange({ tier: tier === '' ? undefined : tier })}
      />
      {sells && (
        <Select
          aria-label="Price"
          className={width('lg:w-28')}
          options={priceOptions}
          value={search.price ?? ''}
          onChange={(price) => onChange({ price: price === '' ? undefined : price })}
        />
      )}
      <Select
        aria-label="Status"
        className={width('lg:w-34')}
        options={statusOptions}
        value={search.status ?? ''}
        onChange={(status) => onChange({ status: status === '' ? undefined : status })}
      />
      <Select
        aria-label="Sort by"
        className={width('lg:w-44')}
        options={sortOptions}
        value={search.sort ?? ''}
        onChange={(sort) => onChange({ sort: sort === '' ? undefined : sort })}
      />
    </>
  );
}
