import { tiers } from '@souk/contract/tiers.ts';
import SlidersHorizontal from 'lucide-react/icons/sliders-horizontal';
import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { classNames } from '#ui/class-names.ts';
import { Dialog, preloadDialog } from '#ui/overlay/dialog.tsx';
import { Select, type SelectOption } from '#ui/form/select.tsx';
import { sells } from '#web/config.ts';
import {
  filterCount,
  keysOf,
  optionsOf,
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
const priceOptions = optionsOf('Any Price', priceLabels);
const statusOptions = optionsOf('Any Status', statusLabels);
const sortOptions = optionsOf('Sorted by name', sortLabels).filter(({ value }) => sells || value !== 'price');

export type MarketplaceFiltersProps = {
  search: MarketplaceSearch;
  onChange: (change: MarketplaceSearch) => void;
};

/** Filters and order, each with a parameter of the address. A phone shows one button with their count. */
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
  const select = <Value extends string>(
    label: string,
    width: string,
    options: readonly SelectOption<Value | ''>[],
    value: Value | undefined,
    changeOf: (value: Value | undefined) => MarketplaceSearch,
  ) => (
    <Select
      aria-label={label}
      className={classNames(!wide && width)}
      options={options}
      value={value ?? ''}
      onChange={(chosen) => onChange(changeOf(chosen === '' ? undefined : chosen))}
    />
  );
  return (
    <>
      {select('Type', 'lg:w-36', typeOptions, search.type, (type) => ({ type }))}
      {select('Tier', 'lg:w-36', tierOptions, search.tier, (tier) => ({ tier }))}
      {sells && select('Price', 'lg:w-28', priceOptions, search.price, (price) => ({ price }))}
      {select('Status', 'lg:w-34', statusOptions, search.status, (status) => ({ status }))}
      {select('Sort by', 'lg:w-44', sortOptions, search.sort, (sort) => ({ sort }))}
    </>
  );
}
