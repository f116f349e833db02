import type { CreditUsage } from '@souk/contract/billing/billing-history.ts';
import { builtInToolTitle } from '@souk/contract/built-in-tools.ts';
import { Facts } from '#ui/text/facts.tsx';
import { counted, formatCount } from '#ui/text/amount.ts';
import { CardList } from '#ui/card.tsx';
import { Ago } from '#ui/text/moment.tsx';
import { useServerTexts } from '#web/loading/server-query.ts';
import type { ShownCall } from './usage-queries.ts';

export function RecentActivity({ calls }: { calls: readonly ShownCall[] }) {
  const { nameOf, titleOf } = useServerTexts(calls.flatMap(({ mcpId }) => mcpId ?? []));
  if (calls.length === 0) return <p className="text-quiet">No call has been answered yet.</p>;
  return (
    <CardList aria-label="Recent activity">
      {calls.map(({ id, mcpId, toolName, amount, isFailed, timestamp, metadata }) => (
        <li key={id} className="flex items-baseline justify-between gap-4 px-4 py-3">
          <span className="min-w-0">
            <span className="font-medium wrap-anywhere">
              {mcpId === null ? builtInToolTitle(toolName) : titleOf(mcpId, toolName)}
            </span>
            <Facts className="text-[0.8125rem] text-quiet">
              {mcpId === null ? 'Built-in tool' : nameOf(mcpId)}
              <Ago moment={timestamp} />
            </Facts>
          </span>
          <span className="shrink-0 text-right tabular-nums">
            <Cost credits={amount} isFailed={isFailed} />
            <Tokens {...metadata} />
          </span>
        </li>
      ))}
    </CardList>
  );
}

function Cost({ credits, isFailed }: { credits: number; isFailed: boolean }) {
  if (isFailed) return <span className="text-quiet">failed, not charged</span>;
  if (credits === 0) return <span className="text-quiet">free</span>;
  return counted(credits, 'credit');
}

/** Tokens as the server reported them, if it did. */
function Tokens({ promptTokens, responseTokens }: CreditUsage['metadata']) {
  if (promptTokens === undefined && responseTokens === undefined) return null;
  return (
    <span className="block text-[0.8125rem] text-quiet">
      {formatCount((promptTokens ?? 0) + (responseTokens ?? 0))} tokens
    </span>
  );
}
