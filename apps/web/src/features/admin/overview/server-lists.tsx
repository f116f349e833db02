import type { ReactNode } from 'react';
import { counted, formatCount } from '#ui/text/amount.ts';
import { Card } from '#ui/card.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { durationText, shareText } from './figure-texts.ts';
import type { Figures } from './overview-queries.ts';

/** The slowest servers and those with the highest failure rates, with links to their pages. */
export function ServerLists({ figures: { slowest, failing } }: { figures: Figures }) {
  return (
    <div className="grid gap-4 lg:grid-cols-2">
      <List
        title="Slowest servers"
        text="95% of the calls were answered within this time."
        empty="No server has 20 answered calls yet."
        rows={slowest.map((one) => ({
          ...one,
          detail: counted(one.calls, 'answered call'),
          value: durationText(one.p95Ms),
        }))}
      />
      <List
        title="Servers with failed calls"
        text="Share of their calls that failed."
        empty="No server with at least 20 calls has a failed one."
        rows={failing.map(({ calls, errors, ...one }) => ({
          ...one,
          detail: `${formatCount(errors)} of ${formatCount(calls + errors)} calls`,
          value: shareText(errors, calls + errors),
        }))}
      />
    </div>
  );
}

type Row = { serverId: string; name: string; detail: string; value: ReactNode };

function List({ title, text, empty, rows }: { title: string; text: string; empty: string; rows: readonly Row[] }) {
  const id = title.replaceAll(' ', '-').toLowerCase();
  return (
    <Card as="section" padding="none" aria-labelledby={id} className="flex flex-col">
      <div className="px-4 pt-4 pb-2 sm:px-5">
        <h3 id={id} className="font-semibold">
          {title}
        </h3>
        <p className="text-[0.8125rem] text-quiet">{text}</p>
      </div>
      {rows.length === 0 ? (
        <p className="px-4 pb-4 text-quiet sm:px-5">{empty}</p>
      ) : (
        <ol className="divide-y divide-line">
          {rows.map(({ serverId, name, detail, value }) => (
            <li key={serverId} className="flex min-h-11 items-center justify-between gap-4 px-4 py-2 sm:px-5">
              <TextLink
                dir="auto"
                to="/admin"
                search={{ tab: 'manifests', id: serverId }}
                tone="quiet"
                className="min-w-0 truncate text-text!"
              >
                {name}
              </TextLink>
              <span className="shrink-0 text-right tabular-nums">
                <span className="mr-3 text-xs text-faint">{detail}</span>
                <span className="font-medium">{value}</span>
              </span>
            </li>
          ))}
        </ol>
      )}
    </Card>
  );
}
