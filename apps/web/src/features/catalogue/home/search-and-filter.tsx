import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { SearchField } from '#ui/form/search-field.tsx';
import { Select } from '#ui/form/select.tsx';
import {
  optionsOf,
  parseMarketplaceSearch,
  typeLabels,
  type MarketplaceSearch,
  type ServerType,
  searchPlaceholder,
} from '../marketplace/marketplace-search.ts';

export const typeOptions = optionsOf('All Types', typeLabels);

/** The search box of home. Leads to the marketplace with the text and type in the address. */
export function SearchAndFilter({ onSearch }: { onSearch: (search: MarketplaceSearch) => void }) {
  const [q, setQ] = useState('');
  const [type, setType] = useState<ServerType | ''>('');
  return (
    <form
      role="search"
      aria-labelledby="search-and-filter"
      // without JavaScript, the browser submits the form to the same address
      action="/marketplace"
      onSubmit={(event) => {
        event.preventDefault();
        onSearch(parseMarketplaceSearch({ q, type }));
      }}
      className="rounded-lg border border-line bg-surface p-4 sm:p-5"
    >
      <h2 id="search-and-filter" className="mb-3 font-semibold">
        Search &amp; Filter
      </h2>
      <div className="grid gap-2 sm:grid-cols-[1fr_12rem_auto]">
        <SearchField label="Search services" name="q" value={q} onChange={setQ} placeholder={searchPlaceholder} />
        <Select aria-label="Type" name="type" options={typeOptions} value={type} onChange={setType} />
        <Button type="submit" variant="primary">
          Search
        </Button>
      </div>
    </form>
  );
}
