import { formatCount } from '#ui/amount.ts';
import { Card } from '#ui/card.tsx';
import { Skeleton } from '#ui/skeleton.tsx';
import { Stat } from '#ui/stat.tsx';
import type { ManifestCounts } from './manifest-queries.ts';

/** The specification's four tiles: of all manifests, whatever is filtered. */
export function ManifestStats({ counts }: { counts: ManifestCounts | undefined }) {
  const tiles = [
    { label: 'Total', value: counts?.total },
    { label: 'Active', value: counts?.active },
    { label: 'HTTP', value: counts?.http },
    { label: 'With Tools', value: counts?.withTools },
  ];
  return (
    <div className="grid grid-cols-2 gap-3 sm:grid-cols-4">
      {tiles.map(({ label, value }) => (
        <Card key={label}>
          <dl>
            <Stat
              label={label}
              value={value === undefined ? <Skeleton className="my-1 h-5 w-10" /> : formatCount(value)}
            />
          </dl>
        </Card>
      ))}
    </div>
  );
}
