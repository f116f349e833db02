import { formatCount } from '#ui/text/amount.ts';
import { Card } from '#ui/card.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { Stat } from '#ui/picture/stat.tsx';
import type { ManifestCounts } from './manifest-queries.ts';

/** The specification's four figures, of all manifests. */
export function ManifestStats({ counts }: { counts: ManifestCounts | undefined }) {
  const figures = [
    { label: 'Total', value: counts?.total },
    { label: 'Active', value: counts?.active },
    { label: 'HTTP', value: counts?.http },
    { label: 'With Tools', value: counts?.withTools },
  ];
  return (
    <Card>
      <dl className="grid grid-cols-4 gap-2">
        {figures.map(({ label, value }) => (
          <Stat
            key={label}
            label={label}
            value={value === undefined ? <Skeleton className="my-1 h-5 w-10" /> : formatCount(value)}
          />
        ))}
      </dl>
    </Card>
  );
}
