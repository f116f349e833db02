import { createClient } from '@souk/contract/client.ts';
import { gatewayEndpoints } from '@souk/contract/gateway.ts';
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query';
import { formatCount } from '#ui/amount.ts';
import { Card } from '#ui/card.tsx';
import { Notice } from '#ui/notice.tsx';
import { Switch } from '#ui/switch.tsx';
import { clientOptions } from '#web/api.ts';

/** Of the dashboard alone, so it is no weight on the first load. */
const preferences = createClient(gatewayEndpoints, clientOptions);
const keyOf = (userId: string) => ['gateway-preferences', userId] as const;

/**
 * The choice of the short list: clients see only the tools that find and call the others. Offered in words where the
 * list has grown long; never switched by itself (users.md, row 3). Nothing is shown until the choice is known.
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
        <div className="max-w-xl">
          <h2 id="tool-list" className="font-semibold">
            Short tool list
          </h2>
          <p className="text-quiet">
            {compact
              ? `Your clients see four tools, which find and call the other ${formatCount(visibleTools)}.`
              : `Your clients see all ${formatCount(visibleTools)} tools. The short list is four that find and call them, and leaves your assistant more room to think.`}
          </p>
        </div>
        <Switch label="Short list" checked={compact} onChange={(on) => !change.isPending && change.mutate(on)} />
      </div>
      {compactSuggested && !compact && (
        <Notice>
          {formatCount(visibleTools)} tools are a lot for one assistant: many slow down or stop reading beyond 60.
        </Notice>
      )}
      {change.isError && <Notice tone="bad">{change.error.message}</Notice>}
    </Card>
  );
}
