import type { SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import { Facts } from '#ui/text/facts.tsx';
import { formatDay } from '#ui/text/amount.ts';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { CardList } from '#ui/card.tsx';
import { OwnedRow, ServiceName } from './owned-row.tsx';

export function Trials({ trials }: Pick<SubscriptionAnswer['subscription'], 'trials'>) {
  if (trials.length === 0) return null;
  return (
    <TitledSection id="trials-heading" title="Your trials">
      <CardList aria-label="Trials">
        {trials.map(({ id, mcpId, name, status, expiresAt, isOffered }) => (
          <OwnedRow
            key={id}
            name={<ServiceName mcpId={mcpId} name={name} isOffered={isOffered} />}
            status={status}
            when={
              <Facts>
                {'Trial'}
                {`ends automatically on ${formatDay(expiresAt)}`}
                {'nothing is charged'}
              </Facts>
            }
          />
        ))}
      </CardList>
    </TitledSection>
  );
}
