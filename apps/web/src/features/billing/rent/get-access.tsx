import type { ServerAnswer } from '@souk/contract/catalogue.ts';
import { useQuery } from '@tanstack/react-query';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { preloadDialog } from '#ui/dialog.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { TextLink } from '#ui/text-link.tsx';
import { howToGetAccess } from '#web/access-text.ts';
import { sells } from '#web/config.ts';
import { rentalOptionsQuery } from '../queries.ts';
import { PurchaseDialog } from './purchase-dialog.tsx';
import { TrialButton } from './trial-button.tsx';
import { usePurchaseDialog, type AskedPurchase } from './use-purchase-dialog.ts';

export type GetAccessProps = {
  userId: string;
  server: Pick<ServerAnswer, 'serverId' | 'displayName' | 'billing'>;
} & AskedPurchase;

/** On the page of a service that the person may not use: the ways to get it. */
export function GetAccess({ userId, server, ...purchase }: GetAccessProps) {
  const { serverId: id, displayName: name, billing } = server;
  const { ask, dialog } = usePurchaseDialog(purchase);
  const { data } = useQuery({ ...rentalOptionsQuery(userId, id), enabled: sells });
  const service = { id, name, features: billing?.features ?? [] };
  return (
    <Card padding="large" className="flex flex-col items-start gap-4">
      <div>
        <h2 className="text-base font-semibold">{howToGetAccess(server, sells)}</h2>
        <p className="mt-1 text-quiet">
          {sells ? `Your plan doesn't include ${name}` : `You don't have ${name} yet`}, so its tools aren't in your
          link. {sells && billing?.rental && <TextLink to="/plans">See plans</TextLink>}
        </p>
      </div>
      <div className="flex flex-wrap gap-2">
        {!sells ? (
          <LinkButton to="/marketplace">Browse services</LinkButton>
        ) : (
          <>
            {billing?.rental && (
              <Button variant="primary" onPointerEnter={preloadDialog} onClick={ask}>
                Purchase
              </Button>
            )}
            {data && data.trialDays !== null && <TrialButton userId={userId} service={service} days={data.trialDays} />}
            {!billing?.rental && (
              <LinkButton variant="primary" to="/plans">
                See plans
              </LinkButton>
            )}
          </>
        )}
      </div>
      {sells && billing && <PurchaseDialog userId={userId} service={service} {...dialog} />}
    </Card>
  );
}
