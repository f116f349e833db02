import type { AdminTool } from '@souk/contract/admin-servers.ts';
import { PriceForm } from '../price-form.tsx';
import type { ServerPartProps } from '../server-queries.ts';
import { partOf, useChangeOnTop } from '../use-change-on-top.ts';

const mostCredits = 1_000_000;

/** Changes what a call of a tool costs: a version with the new price is staged. */
export function ToolPriceForm({
  tool: { name, credits, stagedCredits },
  onClose,
  ...part
}: ServerPartProps & { tool: AdminTool; onClose: () => void }) {
  const { stage, isPending, failure } = useChangeOnTop(part, onClose);
  const now = stagedCredits ?? credits;
  return (
    <PriceForm
      title={`Price of ${name}`}
      label="Credits a call"
      initialPrice={String(now)}
      inputMode="numeric"
      problemOf={(price) => {
        if (!/^\d+$/.test(price) || Number(price) > mostCredits) return 'Enter a whole number from 0 to 1,000,000.';
        return Number(price) === now ? 'This is the price already.' : undefined;
      }}
      effect="Calls cost the new price from the moment you deploy the new version. Until then nothing changes."
      nextVersion={part.shown.nextVersion}
      isSaving={isPending}
      failure={failure}
      onSave={(price, version, reason) =>
        stage({
          version,
          reason,
          apply: (manifest) => {
            const billing = partOf(manifest, 'billing');
            const toolCosts = { ...partOf(billing, 'toolCosts'), [name]: Number(price) };
            return { ...manifest, billing: { tier: 'T0', ...billing, toolCosts } };
          },
        })
      }
      onCancel={onClose}
    />
  );
}
