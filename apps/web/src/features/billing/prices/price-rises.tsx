import type { PriceRiseAnswer } from '@souk/contract/billing/price-rises.ts';
import { useRef, type ReactNode } from 'react';
import { formatCount } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { CardList } from '#ui/card.tsx';
import { UtcDay } from '#ui/text/moment.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { HiddenName } from '#ui/text/hidden-name.tsx';
import { PriceChange } from './price-change.tsx';
import { useApproval } from './use-approval.ts';

export type PriceRisesProps = {
  userId: string;
  rises: readonly PriceRiseAnswer[];
  whenNone: ReactNode;
};

export function PriceRises({ userId, rises, whenNone }: PriceRisesProps) {
  const heading = useRef<HTMLHeadingElement>(null);
  // the focused button is removed with its row
  const { approve, isApproving, failure } = useApproval(userId, () => heading.current?.focus());
  return (
    <TitledSection
      id="rises-heading"
      focusRef={heading}
      title={rises.length === 0 ? 'Waiting for you' : `Waiting for you (${formatCount(rises.length)})`}
      text={
        rises.length > 0 &&
        "Once you approve a price, each call costs that much. Until then, the tool's calls aren't sent and cost nothing."
      }
      actions={
        rises.length > 1 && (
          <Button loading={isApproving(rises)} onClick={() => approve(rises)}>
            Approve all
          </Button>
        )
      }
    >
      {failure !== undefined && <Notice tone="bad">{failure}</Notice>}
      {rises.length === 0 ? (
        whenNone
      ) : (
        <CardList>
          {rises.map((rise) => (
            <li key={`${rise.serverId} ${rise.tool}`} className="px-4 py-3.5">
              <PriceChange
                tool={rise}
                before={rise.oldCredits}
                after={rise.newCredits}
                when={
                  <>
                    Since <UtcDay moment={rise.raisedAt} />
                  </>
                }
              >
                <Button variant="primary" size="small" loading={isApproving([rise])} onClick={() => approve([rise])}>
                  Approve
                  <HiddenName name={rise.toolName} />
                </Button>
              </PriceChange>
            </li>
          ))}
        </CardList>
      )}
    </TitledSection>
  );
}
