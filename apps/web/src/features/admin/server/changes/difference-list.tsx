import type { ManifestDifference } from '@souk/contract/admin/servers.ts';
import { useState } from 'react';
import { formatCount } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { TextWithCode } from '../../text-with-code.tsx';

const shownAtFirst = 50;

/** Each field that differs, in words, with the name of the field. */
export function DifferenceList({ differences }: { differences: readonly ManifestDifference[] }) {
  const [all, setAll] = useState(false);
  const shown = all ? differences : differences.slice(0, shownAtFirst);
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
      {differences.length > shown.length && (
        <Button size="small" variant="ghost" onClick={() => setAll(true)}>
          Show {formatCount(differences.length - shown.length)} more
        </Button>
      )}
    </div>
  );
}
