import { createClient } from '@souk/contract/client.ts';
import { gatewayEndpoints } from '@souk/contract/gateway.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { counted, formatCount } from '#ui/text/amount.ts';
import { Card } from '#ui/card.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { Switch } from '#ui/form/switch.tsx';
import { accountKey } from '#web/loading/account-key.ts';
import { clientOptions } from '#web/api.ts';

type Counts = { visibleTools: number; helperTools: number; askingTools: number };

const suggestionText =
  'Show your assistant only the helper tools. It searches for the rest and calls them. Useful if it slows down or gets confused.';

/** The sum is what a client lists, and what the self-test counts. */
function fullListText({ visibleTools, helperTools, askingTools }: Counts): string {
  const all = `Your clients see ${formatCount(visibleTools + helperTools)} tools: ${formatCount(visibleTools)} of your services and ${counted(helperTools, 'helper tool')}.`;
  return askingTools === 0
    ? all
    : `${all} Clients that can answer a tool's questions see ${formatCount(askingTools)} more.`;
}

function shortListText({ visibleTools, helperTools }: Counts): string {
  return `Your clients see ${counted(helperTools, 'helper tool')}, which find and call the ${formatCount(visibleTools)} tools of your services.`;
}

/** A client of its own, so that only the dashboard loads these schemas. */
const preferences = createClient(gatewayEndpoints, clientOptions);
const keyOf = (userId: string) => [...accountKey(userId), 'gateway-preferences'] as const;

/**
 * The switch of the short tool list: clients see only the tools that search and call the others. A notice suggests it
 * for a long list, but only the user switches it on. Empty while it loads.
 */
export function ToolListChoice({ userId }: { userId: string }) {
  const queries = useQueryClient();
  const known = useQuery({
    queryKey: keyOf(userId),
    queryFn: () => preferences.getGatewayPreferences({ params: { userId } }),
  });
  const change = useMutation({
    mutationFn: (compactMode: boolean) =>
      preferences.putGatewayPreferences({
        params: { userId },
        body: { compactMode, tokens: known.data?.tokens ?? {} },
      }),
    onSuccess: (answer) => queries.setQueryData(keyOf(userId), answer),
  });
  if (!known.data) return null;
  const { visibleTools, compactSuggested } = known.data;
  const compact = change.isPending ? change.variables : known.data.compactMode;
  return (
    <Card as="section" padding="none" className="mt-4 flex flex-col gap-3 p-4 sm:px-5" aria-labelledby="tool-list">
      <div className="flex flex-wrap items-center justify-between gap-x-6 gap-y-2">
        <div className="max-w-prose">
          <h2 id="tool-list" className="font-semibold">
            Short tool list
          </h2>
          <p className="text-quiet">
            {compact ? shortListText(known.data) : `${fullListText(known.data)} ${suggestionText}`}
          </p>
        </div>
        <Switch label="Short list" checked={compact} onChange={(on) => !change.isPending && change.mutate(on)} />
      </div>
      {compactSuggested && !compact && (
        <Notice>
          {formatCount(visibleTools)} tools are a lot for one assistant. Many assistants slow down or ignore tools
          beyond 60.
        </Notice>
      )}
      {change.isError && <Notice tone="bad">{change.error.message}</Notice>}
    </Card>
  );
}
