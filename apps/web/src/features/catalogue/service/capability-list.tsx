import type { CapabilityAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { CardList } from '#ui/card.tsx';
import { ClampedText } from '#ui/text/clamped-text.tsx';

export function CapabilityList({ items }: { items: readonly CapabilityAnswer[] }) {
  return (
    <CardList>
      {items.map(({ name, displayName, displayDescription, uri, exposedName }) => (
        <li key={uri ?? name} className="px-4 py-3">
          <span className="flex flex-wrap items-baseline gap-x-2 gap-y-1">
            <span dir="auto" className="font-medium wrap-anywhere">
              {displayName}
            </span>
            {(uri ?? name) !== displayName && (
              <code className="font-mono text-xs wrap-anywhere text-faint">{uri ?? name}</code>
            )}
          </span>
          {displayDescription && <ClampedText text={displayDescription} className="mt-0.5 text-quiet" />}
          {uri !== undefined && exposedName !== undefined && exposedName !== uri && (
            <p className="mt-1 text-[0.8125rem] text-quiet">
              On your all-services link its address is <code className="font-mono wrap-anywhere">{exposedName}</code>.
            </p>
          )}
        </li>
      ))}
    </CardList>
  );
}
