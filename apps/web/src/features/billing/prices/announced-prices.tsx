import type { ComingPriceAnswer } from '@souk/contract/billing/price-rises.ts';
import { CardList } from '#ui/card.tsx';
import { UtcDay } from '#ui/text/moment.tsx';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { PriceChange } from './price-change.tsx';

export function AnnouncedPrices({ coming }: { coming: readonly ComingPriceAnswer[] }) {
  return (
    <TitledSection
      id="announced-heading"
      title="Announced"
      text="The price stays the same until the date shown. After that, we won't send calls until you approve."
    >
      <CardList>
        {coming.map((one) => (
          <li key={`${one.serverId} ${one.tool}`} className="px-4 py-3.5">
            <PriceChange
              tool={one}
              before={one.credits}
              after={one.comingCredits}
              when={
                <>
                  From <UtcDay moment={one.from} />
                </>
              }
            />
          </li>
        ))}
      </CardList>
    </TitledSection>
  );
}
