import { useEffect, useRef } from 'react';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { Notice } from '#ui/state/notice.tsx';
import type { OfferDraft } from './offer-draft.ts';

const labels: Readonly<Partial<Record<keyof OfferDraft, string>>> = {
  name: 'Name',
  price: 'Price',
  monthlyCredits: 'Monthly credits',
  credits: 'Credits',
  bonus: 'Bonus credits',
  tier: 'Tier',
  description: 'Description',
  features: 'Features',
  popular: 'Most Popular',
  place: 'Place',
};

/** Shows both versions and asks which to keep, after another administrator saved the offer during the editing. */
export function ChangedMeanwhile({
  conflicts,
  by,
  base,
  theirs,
  mine,
  onKeepMine,
  onTakeTheirs,
}: {
  /** Number of refused saves. Each one moves the focus here. */
  conflicts: number;
  by: string | null;
  /** The version that both started from. */
  base: OfferDraft;
  theirs: OfferDraft;
  mine: OfferDraft;
  onKeepMine: () => void;
  onTakeTheirs: () => void;
}) {
  const box = useRef<HTMLDivElement>(null);
  useEffect(() => {
    if (conflicts > 0) box.current?.focus();
  }, [conflicts]);
  const names = (Object.keys(labels) as (keyof OfferDraft)[]).filter(
    (name) => theirs[name] !== mine[name] || mine[name] !== base[name],
  );
  return (
    <Card
      ref={box}
      tabIndex={-1}
      role="group"
      aria-label="Changed meanwhile"
      className="flex scroll-mt-20 flex-col gap-4"
    >
      <Notice tone="bad">
        {by ?? 'Another administrator'} changed this offer while you were editing it. Your changes were not saved.
      </Notice>
      <div className="relative overflow-x-auto" role="region" aria-label="What differs" tabIndex={0}>
        <table className="w-full min-w-100 table-fixed border-collapse text-left">
          <thead className="text-[0.8125rem] text-quiet">
            <tr>
              <th scope="col" className="w-32 py-1.5 pr-3 font-medium">
                Field
              </th>
              <th scope="col" className="py-1.5 pr-3 font-medium">
                Saved now
              </th>
              <th scope="col" className="py-1.5 font-medium">
                Yours
              </th>
            </tr>
          </thead>
          <tbody className="divide-y divide-line align-top">
            {names.map((name) => (
              <tr key={name}>
                <th scope="row" className="py-1.5 pr-3 font-normal text-quiet">
                  {labels[name]}
                </th>
                <td className="py-1.5 pr-3 wrap-anywhere whitespace-pre-line">{textOf(theirs[name])}</td>
                <td className="py-1.5 wrap-anywhere whitespace-pre-line">
                  {mine[name] === base[name] ? <span className="text-quiet">Not changed</span> : textOf(mine[name])}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      <div className="flex flex-wrap gap-2">
        <Button onClick={onKeepMine}>Keep mine and review</Button>
        <Button onClick={onTakeTheirs}>Use what is saved</Button>
      </div>
    </Card>
  );
}

const textOf = (value: string | boolean) =>
  typeof value === 'boolean' ? (value ? 'Yes' : 'No') : value === '' ? 'None' : value;
