import type { CreditUsage } from '@souk/contract/billing-history.ts';
import { formatCount } from '#ui/amount.ts';
import { Card } from '#ui/card.tsx';
import { Ago } from '#ui/moment.tsx';
import { useServerNames } from '#web/server-query.ts';

/** Spec part 2, section 9. */
const shownEntries = 10;

/** The newest calls that cost credits. */
export function RecentActivity({ charges }: { charges: readonly CreditUsage[] }) {
  const shown = charges.slice(0, shownEntries);
  const nameOf = useServerNames(shown.flatMap(({ mcpId }) => mcpId ?? []));
  if (shown.length === 0) return <p className="text-quiet">No call has cost credits yet.</p>;
  return (
    <Card padding="none">
      <ul aria-label="Recent activity" className="divide-y divide-line">
        {shown.map(({ id, mcpId, toolName, amount, timestamp, metadata }) => (
          <li key={id} className="flex items-baseline justify-between gap-4 px-4 py-3">
            <span className="min-w-0">
              <span className="font-medium wrap-anywhere">{toolName}</span>
              <span className="block text-[0.8125rem] text-quiet">
                {mcpId !== null && `${nameOf(mcpId) ?? mcpId} · `}
                <Ago moment={timestamp} />
              </span>
            </span>
            <span className="shrink-0 text-right tabular-nums">
              {amount === 1 ? '1 credit' : `${formatCount(amount)} credits`}
              <Tokens {...metadata} />
            </span>
          </li>
        ))}
      </ul>
    </Card>
  );
}

/** Nothing where the server told none. */
function Tokens({ promptTokens, responseTokens }: CreditUsage['metadata']) {
  if (promptTokens === undefined && responseTokens === undefined) return null;
  return (
    <span className="block text-[0.8125rem] text-quiet">
      {formatCount((promptTokens ?? 0) + (responseTokens ?? 0))} tokens
    </span>
  );
}
