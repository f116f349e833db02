import type { ServerAnswer } from '@souk/contract/catalogue.ts';
import { useQuery } from '@tanstack/react-query';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { preloadDialog } from '#ui/dialog.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { sells } from '#web/config.ts';
import { rentalOptionsQuery } from '../queries.ts';
import { statusText } from '../services/service-texts.ts';
import { PurchaseDialog } from './purchase-dialog.tsx';
import { usePurchaseDialog, type AskedPurchase } from './use-purchase-dialog.ts';

export type AccessNoteProps = {
  userId: string;
  server: Pick<ServerAnswer, 'serverId' | 'displayName' | 'billing'>;
} & AskedPurchase;

/** On the page of a service that the person may use: by what right and until when, and where to manage it. */
export function AccessNote({ userId, server, ...purchase }: AccessNoteProps) {
  const service = { id: server.serverId, name: server.displayName, features: server.billing?.features ?? [] };
  const { data } = useQuery(rentalOptionsQuery(userId, service.id));
  const { ask, dialog } = usePurchaseDialog(purchase);
  if (!data || !data.access.hasAccess || data.access.accessType === 'free') return null;
  const { accessType, isCancelled } = data.access;
  const mayRent = sells && data.rental !== null && accessType === 'trial';
  return (
    <Card as="section" aria-label="Your access" className="flex flex-wrap items-center gap-3 sm:px-5">
      <p className="min-w-0 flex-1 font-medium">
        {statusText(data.access)}
        {isCancelled && <span className="font-normal text-quiet"> · ends at the end of the billing period</span>}
      </p>
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
