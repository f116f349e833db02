import type { AdminTool } from '@souk/contract/admin/servers.ts';
import { PriceForm } from '../price-form.tsx';
import type { ServerPartProps } from '../server-queries.ts';
import { partOf } from '../part-of.ts';

const mostCredits = 1_000_000;

export function ToolPriceForm({
  tool: { name, credits, stagedCredits },
  ...part
}: ServerPartProps & { tool: AdminTool; onClose: () => void }) {
  const now = stagedCredits ?? credits;
  return (
    <PriceForm
      {...part}
      title={`Price of ${name}`}
      label="Credits a call"
      initialPrice={String(now)}
      inputMode="numeric"
      problemOf={(price) => {
        if (!/^\d+$/.test(price) || Number(price) > mostCredits) return 'Enter a whole number from 0 to 1,000,000.';
        return Number(price) === now ? 'This is already the price.' : undefined;
      }}
      effect="The new price applies as soon as you deploy the new version. Users who agreed to a lower price are asked before their next call."
      apply={(manifest, price) => {
        const { announcedPrices: announced, ...billing } = partOf(manifest, 'billing');
        const toolCosts = { ...partOf(billing, 'toolCosts'), [name]: Number(price) };
        const announcedPrices = withoutStarted(partOf({ announced }, 'announced'), name);
        const isAnnounced = Object.keys(announcedPrices).length > 0;
        return { ...manifest, billing: { tier: 'T0', ...billing, toolCosts, ...(isAnnounced && { announcedPrices }) } };
      }}
    />
  );
}

/** Removes a tool's announced price once its date has passed, since it would override the new price. */
function withoutStarted(announced: Readonly<Record<string, unknown>>, name: string) {
  const { from } = partOf(announced, name);
  const hasBegun = typeof from === 'string' && Date.parse(from) <= Date.now();
  return Object.fromEntries(Object.entries(announced).filter(([tool]) => !hasBegun || tool !== name));
}
