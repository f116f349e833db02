import type { ManifestDifference } from '@souk/contract/admin/servers.ts';
import { Card } from '#ui/card.tsx';
import { useShowMore } from '../../show-more.tsx';
import { TextWithCode } from '../../text-with-code.tsx';

const shownAtFirst = 50;

export function DifferenceList({ differences }: { differences: readonly ManifestDifference[] }) {
  const { shown, more } = useShowMore(differences, shownAtFirst);
  return (
    <div className="flex flex-col items-start gap-2">
      <Card padding="none" className="w-full">
        <ul aria-label="Changed fields" className="divide-y divide-line">
          {shown.map(({ path, text }) => (
            <li key={path} className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-0.5 px-4 py-2.5">
              <span className="min-w-0 wrap-anywhere">
                <TextWithCode text={text} />
              </span>
              <code className="font-mono text-xs wrap-anywhere text-quiet">{path}</code>
            </li>
          ))}
        </ul>
      </Card>
      {more}
    </div>
  );
}
