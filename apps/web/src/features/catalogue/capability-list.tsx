import type { CapabilityAnswer } from '@souk/contract/catalogue.ts';
import { Card } from '#ui/card.tsx';

/** Prompts or resources: name, address where there is one, description. */
export function CapabilityList({ items }: { items: readonly CapabilityAnswer[] }) {
  return (
    <Card padding="none">
      <ul className="divide-y divide-line">
        {items.map(({ name, displayName, displayDescription, uri }) => (
          <li key={uri ?? name} className="px-4 py-3">
            <span className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
              <span className="font-medium wrap-anywhere">{displayName}</span>
              {(uri ?? name) !== displayName && (
                <code className="font-mono text-xs wrap-anywhere text-faint">{uri ?? name}</code>
              )}
            </span>
            {displayDescription && <p className="mt-0.5 text-quiet">{displayDescription}</p>}
          </li>
        ))}
      </ul>
    </Card>
  );
}
