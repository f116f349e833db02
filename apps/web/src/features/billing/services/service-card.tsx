import type { McpService } from '@souk/contract/billing.ts';
import type { ReactNode } from 'react';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { preloadDialog } from '#ui/dialog.tsx';
import { Icon } from '#ui/icon.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { StatusBadge, type StatusTone } from '#ui/status-badge.tsx';
import { TierBadge } from '#ui/tier-badge.tsx';
import { sells } from '#web/config.ts';
import { billingApi } from '../billing-api.ts';
import { ResumeButton } from '../cancel/resume-button.tsx';
import { TrialButton } from '../rent/trial-button.tsx';
import { priceText, statusText } from './service-texts.ts';

export type ServiceCardProps = {
  userId: string;
  service: McpService;
  /** The Enable switch, and the button that opens the details dialog: of other features. */
  enable: ReactNode;
  details: ReactNode;
  onPurchase: () => void;
  onCancel: () => void;
};

/** Spec part 2, section 9. */
const shownFeatures = 3;

/** One service of the person's list: their access to it, and what they can do about it. */
export function ServiceCard({ userId, service, enable, details, onPurchase, onCancel }: ServiceCardProps) {
  const { id, name, icon, description, billing, features, userAccess, trialDays } = service;
  const { hasAccess, accessType, isCancelled } = userAccess;
  const isRented = accessType === 'rental';
  const mayRent = sells && billing?.rental && !hasAccess;
  const tone: StatusTone = hasAccess && !isCancelled ? 'good' : 'idle';
  return (
    <Card as="article" aria-label={name} className="flex h-full flex-col gap-3">
      <div className="flex items-start gap-3">
        <Icon id={id} name={name} src={icon} />
        <div className="min-w-0 flex-1">
          <div className="flex items-start justify-between gap-2">
            <h3 className="truncate font-semibold" title={name}>
              {name}
            </h3>
            <TierBadge tier={billing?.tier ?? 'T0'} short />
          </div>
          <p className="line-clamp-2 min-h-10 text-[0.8125rem] text-quiet">{description}</p>
        </div>
      </div>
      <div className="flex flex-wrap items-center justify-between gap-2">
        <StatusBadge status={statusText(userAccess, Date.now())} tone={tone} />
        {!hasAccess && sells && <span className="font-medium tabular-nums">{priceText(service)}</span>}
      </div>
      {isCancelled && <p className="text-[0.8125rem] text-quiet">Ends at the end of the billing period.</p>}
      {features.length > 0 && (
        <p className="text-[0.8125rem] text-quiet">
          {features.slice(0, shownFeatures).join(' · ')}
          {features.length > shownFeatures && ` +${features.length - shownFeatures} more`}
        </p>
      )}
      <div className="mt-auto flex flex-wrap items-center gap-x-3 gap-y-2 border-t border-line pt-3">
        {enable}
        <div className="ml-auto flex flex-wrap justify-end gap-2">
          {mayRent && (
            <Button size="small" variant="primary" onPointerEnter={preloadDialog} onClick={onPurchase}>
              Purchase<span className="sr-only"> {name}</span>
            </Button>
          )}
          {sells && !hasAccess && !billing?.rental && (
            <LinkButton size="small" to="/plans">
              See plans<span className="sr-only"> that include {name}</span>
            </LinkButton>
          )}
          {sells && trialDays !== null && (
            <TrialButton size="small" userId={userId} service={service} days={trialDays} />
          )}
          {isRented && isCancelled && (
            <ResumeButton
              userId={userId}
              name={name}
              resume={() => billingApi.resumeRental({ params: { mcpId: id } })}
            />
          )}
          {isRented && !isCancelled && (
            <Button size="small" onPointerEnter={preloadDialog} onClick={onCancel}>
              Cancel Rental<span className="sr-only"> of {name}</span>
            </Button>
          )}
          {details}
        </div>
      </div>
    </Card>
  );
}
