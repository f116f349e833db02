import type { McpService } from '@souk/contract/billing/billing.ts';
import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { Facts } from '#ui/text/facts.tsx';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { preloadDialog } from '#ui/overlay/dialog.tsx';
import { Icon } from '#ui/picture/icon.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { StatusBadge, type StatusTone } from '#ui/state/status-badge.tsx';
import { TierBadge } from '#ui/state/tier-badge.tsx';
import { callsText } from '#web/texts/access-text.ts';
import { sells } from '#web/config.ts';
import { PlanLink } from '#web/own-access/plan-link.tsx';
import { HiddenName } from '#ui/text/hidden-name.tsx';
import { downText } from '#web/texts/down-text.ts';
import { ResumeRental } from '../cancel/resume-rental.tsx';
import { subscriptionQuery } from '../queries.ts';
import { AfterTrial } from '../rent/after-trial.tsx';
import { ownedReason } from '../rent/owned.tsx';
import { TrialButton } from '../rent/trial-button.tsx';
import { cancelledText, alsoInPlanText, priceText, renewalText, statusText, whileDownText } from './service-texts.ts';

export type ServiceCardProps = {
  userId: string;
  service: McpService;
  /** The Enable switch and the Details button, from other features. */
  enable: ReactNode;
  details: ReactNode;
  /** Says that the user's account at the service is missing. */
  account: ReactNode;
  onPurchase: () => void;
  onCancel: () => void;
};

/** Spec part 2, section 9. */
const shownFeatures = 3;

/** The date and price of the next renewal, which may differ from the price of new rentals. */
function Renewal({ userId, service: { id, userAccess } }: Pick<ServiceCardProps, 'userId' | 'service'>) {
  const { data } = useQuery(subscriptionQuery(userId));
  const rental = data?.subscription.rentals.find(({ mcpId }) => mcpId === id);
  const text = renewalText(userAccess, Date.now(), rental?.charge ?? null);
  return text === undefined ? null : <span className="text-[0.8125rem] text-quiet">{text}</span>;
}

export function ServiceCard({ userId, service, enable, details, account, onPurchase, onCancel }: ServiceCardProps) {
  const { id, name, icon, description, billing, features, userAccess } = service;
  const { hasAccess, accessType, isCancelled } = userAccess;
  const isRented = accessType === 'rental';
  const alsoInPlan = alsoInPlanText(userAccess);
  const calls = sells ? callsText(service) : undefined;
  // no green tick for access to a service that is down: it would read as the health of the service
  const tone: StatusTone = hasAccess && !isCancelled && !service.down ? 'good' : 'idle';
  return (
    <Card as="article" aria-label={name} className="flex h-full flex-col gap-3">
      <div className="flex items-start gap-3">
        <Icon id={id} name={name} src={icon} />
        <div className="min-w-0 flex-1">
          <div className="flex items-start justify-between gap-2">
            <h3 dir="auto" className="truncate font-semibold" title={name}>
              {name}
            </h3>
            <div className="flex shrink-0 items-center gap-2">
              {service.down && <StatusBadge status={service.down.status} />}
              <TierBadge tier={billing?.tier ?? 'T0'} short />
            </div>
          </div>
          <p dir="auto" className="line-clamp-2 min-h-10 text-[0.8125rem] text-quiet">
            {description}
          </p>
        </div>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <StatusBadge status={statusText(userAccess)} tone={tone} />
        {isRented && <Renewal userId={userId} service={service} />}
        {!hasAccess && sells && <span className="font-medium tabular-nums">{priceText(service)}</span>}
      </div>
      {service.down && (
        <div className="text-[0.8125rem]">
          <p className="wrap-anywhere text-bad">{downText(service.down)}</p>
          <p className="mt-0.5 text-quiet">{whileDownText(userAccess)}</p>
        </div>
      )}
      {sells && accessType === 'trial' && (
        <p className="text-[0.8125rem] text-quiet">
          {/* a card of an owned service shows no price */}
          <AfterTrial billing={null} access={userAccess} />
        </p>
      )}
      {sells && !hasAccess && billing?.plan && (
        <p className="text-[0.8125rem] text-quiet">
          Included in <PlanLink plan={billing.plan} />
        </p>
      )}
      {calls && <p className="text-[0.8125rem] text-quiet">{calls}</p>}
      {isCancelled && <p className="text-[0.8125rem] text-quiet">{cancelledText(userAccess)}</p>}
      {account}
      {alsoInPlan && <p className="text-[0.8125rem] text-quiet">{alsoInPlan}</p>}
      {features.length > 0 && (
        <Facts className="text-[0.8125rem] text-quiet">
          {features.slice(0, shownFeatures - 1)}
          {features.length > shownFeatures
            ? `${features[shownFeatures - 1]} +${features.length - shownFeatures} more`
            : features[shownFeatures - 1]}
        </Facts>
      )}
      <div className="mt-auto flex flex-col gap-3 border-t border-line pt-3">
        {/* in their own row, so that the switch and Details are in the same place on each card */}
        <Actions userId={userId} service={service} onPurchase={onPurchase} onCancel={onCancel} />
        <div className="flex items-center justify-between gap-3">
          {enable}
          {details}
        </div>
      </div>
    </Card>
  );
}

function Actions({ userId, service, onPurchase, onCancel }: Omit<ServiceCardProps, 'enable' | 'details' | 'account'>) {
  const { id, name, billing, userAccess, trialDays } = service;
  const { hasAccess, accessType, isCancelled } = userAccess;
  const isRented = accessType === 'rental';
  const mayRent = sells && billing?.rental && !hasAccess;
  // Purchase is only for services without access (spec part 2, section 2)
  const mayRentAfterTrial =
    sells && billing?.rental && accessType === 'trial' && ownedReason(userAccess, name) === undefined;
  return (
    <div className="flex flex-wrap gap-2 empty:hidden">
      {mayRent && (
        <Button size="small" variant="primary" onPointerEnter={preloadDialog} onClick={onPurchase}>
          Purchase
          <HiddenName name={name} />
        </Button>
      )}
      {mayRentAfterTrial && (
        <LinkButton size="small" to="/service/$serviceId" params={{ serviceId: id }} search={{ purchase: 'rental' }}>
          Rent
          <HiddenName name={name} />
        </LinkButton>
      )}
      {sells && !hasAccess && !billing?.rental && (
        <LinkButton size="small" to="/plans">
          See plans<span className="sr-only"> that include {name}</span>
        </LinkButton>
      )}
      {sells && trialDays !== null && <TrialButton size="small" userId={userId} service={service} days={trialDays} />}
      {isRented && isCancelled && <ResumeRental userId={userId} service={service} />}
      {isRented && !isCancelled && (
        <Button size="small" onPointerEnter={preloadDialog} onClick={onCancel}>
          Cancel Rental<span className="sr-only"> of {name}</span>
        </Button>
      )}
    </div>
  );
}
