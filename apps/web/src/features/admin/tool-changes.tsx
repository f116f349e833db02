import type { ToolChange } from '@souk/contract/tool-changes.ts';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { ErrorState } from '#ui/error-state.tsx';
import { ListSkeleton } from '#ui/list-skeleton.tsx';
import { Ago } from '#ui/moment.tsx';
import { SectionHeading } from '#ui/section-heading.tsx';
import { failureText } from '#web/failure-text.ts';
import { adminApi, toolChangesKey } from './admin-api.ts';
import { DecideDialog, type Verdict } from './decide-dialog.tsx';

const kinds: Readonly<Record<ToolChange['kind'], string>> = {
  text: 'Its title or description changed.',
  argument: 'It has an optional argument more.',
  definition: 'Its schemas or annotations changed.',
  new: 'The tool is new since the service was deployed.',
};

/** Tools that changed since their service was deployed: hidden from everyone until an administrator decides. */
export function ToolChanges({ userId }: { userId: string }) {
  const { data, error, refetch, isFetching } = useQuery({
    queryKey: toolChangesKey(userId),
    queryFn: () => adminApi.listToolChanges({ query: { status: 'pending' } }),
  });
  const [asked, setAsked] = useState<{ change: ToolChange; verdict: Verdict }>();
  return (
    <section aria-labelledby="tool-changes" className="flex flex-col gap-4">
      <SectionHeading
        id="tool-changes"
        title="Tools under review"
        text="A tool whose definition changed stays hidden until you approve it."
      />
      {!data && error && <ErrorState title={failureText(error)} onRetry={() => void refetch()} retrying={isFetching} />}
      {!data && !error && <ListSkeleton label="Loading tools under review…" />}
      {data?.changes.length === 0 && (
        <EmptyState title="No tools under review" text="Changes of deployed services' tools appear here." />
      )}
      {data && data.changes.length > 0 && (
        <ul className="flex flex-col gap-3">
          {data.changes.map((change) => (
            <Card as="li" key={change.id} className="flex flex-wrap items-start gap-x-6 gap-y-3">
              <div className="min-w-0 flex-1 basis-60">
                <h3 className="font-semibold wrap-anywhere">
                  {change.serverId} · <code>{change.tool}</code>
                </h3>
                <p className="text-quiet">
                  {kinds[change.kind]} <Ago moment={change.foundAt} />
                </p>
                <Definitions change={change} />
              </div>
              <div className="flex gap-2">
                <Button onClick={() => setAsked({ change, verdict: 'reject' })}>
                  Keep hidden<span className="sr-only"> {change.tool}</span>
                </Button>
                <Button variant="primary" onClick={() => setAsked({ change, verdict: 'approve' })}>
                  Approve<span className="sr-only"> {change.tool}</span>
                </Button>
              </div>
            </Card>
          ))}
        </ul>
      )}
      <DecideDialog userId={userId} asked={asked} onClose={() => setAsked(undefined)} />
    </section>
  );
}

/** What was trusted and what the service offers now, as its JSON: an administrator compares the words themselves. */
function Definitions({ change: { before, after } }: { change: ToolChange }) {
  const texts = [
    ...(before ? [{ name: 'Trusted', definition: before }] : []),
    { name: 'Offered now', definition: after },
  ];
  return (
    <details className="mt-2">
      <summary className="rounded-sm text-[0.8125rem] text-quiet">Compare definitions</summary>
      <div className="mt-2 grid gap-3 lg:grid-cols-2">
        {texts.map(({ name, definition }) => (
          <figure key={name} className="m-0 min-w-0">
            <figcaption className="mb-1 text-xs text-quiet">{name}</figcaption>
            <pre className="max-h-80 overflow-auto rounded-md border border-line bg-sunken p-3 text-xs wrap-anywhere whitespace-pre-wrap">
              <code>{JSON.stringify(definition, null, 2)}</code>
            </pre>
          </figure>
        ))}
      </div>
    </details>
  );
}
