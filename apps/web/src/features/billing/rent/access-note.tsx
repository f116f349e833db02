import type { UserAccess } from '@souk/contract/billing/billing.ts';
import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { useQuery } from '@tanstack/react-query';
import { Facts } from '#ui/text/facts.tsx';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { preloadDialog } from '#ui/overlay/dialog.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { sells } from '#web/config.ts';
import { rentalOptionsQuery, subscriptionQuery } from '../queries.ts';
import { inPlanText, renewalText, statusText } from '../services/service-texts.ts';
import { AfterTrial } from './after-trial.tsx';
import { ownedReason } from './owned.tsx';
import { PurchaseDialog } from './purchase-dialog.tsx';
import { usePurchaseDialog, type AskedPurchase } from './use-purchase-dialog.ts';
import type { OwnRental } from '../overlap/included-rentals.ts';

export type AccessNoteProps = {
  userId: string;
  server: Pick<ServerAnswer, 'serverId' | 'displayName' | 'billing'>;
} & AskedPurchase;

const titles: Record<UserAccess['accessType'], string> = {
  rental: 'Your rental',
  purchase: 'Yours',
  trial: 'Your trial',
  subscription: 'In your plan',
  free: 'Free',
  none: '',
};

type RenewalProps = Pick<OwnRental, 'status' | 'source'> & { renewal: string | undefined };

function Renewal({ status, source, renewal }: RenewalProps) {
  if (status === 'past_due') {
    return (
      <>
        <span className="text-bad">the last payment failed.</span>{' '}
        <TextLink to="/dashboard" search={{ tab: 'billing' }}>
          Pay it
        </TextLink>
      </>
    );
  }
  if (source === 'administrator') return 'given by your administrator';
  return renewal ?? 'renewal in progress';
}

/** The user's access to a service, on its page: why, until when, and where to manage it. */
export function AccessNote({ userId, server, ...purchase }: AccessNoteProps) {
  const service = { id: server.serverId, name: server.displayName, features: server.billing?.features ?? [] };
  const { data } = useQuery(rentalOptionsQuery(userId, service.id));
  const { data: owned } = useQuery(subscriptionQuery(userId));
  const { ask, dialog } = usePurchaseDialog(purchase);
  if (!data || !data.access.hasAccess || data.access.accessType === 'free') return null;
  const { accessType, isCancelled, plan } = data.access;
  const rental = owned?.subscription.rentals.find(({ mcpId }) => mcpId === service.id);
  const mayRent =
    sells && data.rental !== null && accessType === 'trial' && ownedReason(data.access, service.name) === undefined;
  return (
    <Card as="section" aria-label="Your access" className="flex flex-wrap items-center gap-3 sm:px-5">
      <div className={accessType === 'trial' ? 'w-full' : 'min-w-0 flex-1 basis-48'}>
        <h2 className="font-medium">{titles[accessType]}</h2>
        <Facts className="text-quiet">
          {statusText(data.access)}
          {isCancelled
            ? accessType === 'rental' && data.access.expiresAt !== null
              ? 'canceled, you can resume it until then'
              : 'ends at the end of the billing period'
            : accessType === 'rental' &&
              rental && <Renewal {...rental} renewal={renewalText(data.access, Date.now(), rental.charge)} />}
          {plan && inPlanText(plan)}
        </Facts>
        {accessType === 'trial' && sells && (
          <p className="text-quiet">
            <AfterTrial billing={server.billing} access={data.access} />
          </p>
        )}
      </div>
      {mayRent && (
        <Button size="small" onPointerEnter={preloadDialog} onClick={ask}>
          Purchase
        </Button>
      )}
      <LinkButton size="small" to="/dashboard" search={{ tab: accessType === 'subscription' ? 'billing' : 'services' }}>
        Manage
      </LinkButton>
      {sells && server.billing && <PurchaseDialog userId={userId} service={service} {...dialog} />}
    </Card>
  );
}
