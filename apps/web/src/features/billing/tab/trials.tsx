import type { SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import { Facts } from '#ui/text/facts.tsx';
import { formatDay } from '#ui/text/amount.ts';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { OwnedList, OwnedRow } from './owned-list.tsx';

export function Trials({ trials }: Pick<SubscriptionAnswer['subscription'], 'trials'>) {
  if (trials.length === 0) return null;
  return (
    <TitledSection id="trials-heading" title="Your trials">
      <OwnedList label="Trials">
        {trials.map(({ id, mcpId, name, status, expiresAt, isOffered }) => (
          <OwnedRow
            key={id}
            name={
              isOffered ? (
                <TextLink dir="auto" to="/service/$serviceId" params={{ serviceId: mcpId }}>
                  {name}
                </TextLink>
              ) : (
                name
              )
            }
            status={status}
            when={
              <Facts>
                {'Trial'}
                {`ends by itself on ${formatDay(expiresAt)}`}
                {'nothing is charged'}
              </Facts>
            }
          />
        ))}
      </OwnedList>
    </TitledSection>
  );
}
