import type { McpService } from '@souk/contract/billing/billing.ts';
import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect } from 'react';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { preloadDialog } from '#ui/overlay/dialog.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { HowToGetAccess } from '#web/own-access/plan-link.tsx';
import { accountKey } from '#web/loading/account-key.ts';
import { sells } from '#web/config.ts';
import { rentalOptionsQuery } from '../queries.ts';
import { PurchaseDialog } from './purchase-dialog.tsx';
import { TrialButton } from './trial-button.tsx';
import { usePurchaseDialog, type AskedPurchase } from './use-purchase-dialog.ts';

export type GetAccessProps = {
  userId: string;
  server: Pick<ServerAnswer, 'serverId' | 'displayName' | 'billing'>;
} & AskedPurchase;

/** Converts prices to the form that the list of services has. */
const trialBilling = (billing: ServerAnswer['billing']): McpService['billing'] =>
  billing
    ? {
        tier: billing.tier,
        rental: billing.rental ?? null,
        currency: billing.rental?.currency ?? 'USD',
        plan: billing.plan ?? null,
      }
    : null;

/** Shows, on the page of a service that the user may not use, how to get access. */
export function GetAccess({ userId, server, ...purchase }: GetAccessProps) {
  const { serverId: id, displayName: name, billing } = server;
  const { ask, dialog } = usePurchaseDialog(purchase);
  const { data } = useQuery({ ...rentalOptionsQuery(userId, id), enabled: sells });
  const queries = useQueryClient();
  const hasAccess = data?.access.hasAccess ?? false;
  useEffect(() => {
    // the dialog has found that the user has access by now, so the page must show it too
    if (hasAccess) void queries.invalidateQueries({ queryKey: accountKey(userId) });
  }, [hasAccess, queries, userId, id]);
  const service = { id, name, features: billing?.features ?? [] };
  return (
    <Card padding="large" className="flex flex-col items-start gap-4">
      <div>
        <h2 className="text-base font-semibold">
          <HowToGetAccess server={server} />
        </h2>
        <p className="mt-1 text-quiet">
          {sells ? `Your plan doesn't include ${name}` : `You don't have ${name} yet`}, so its tools aren't in your
          link. {sells && billing?.rental && <TextLink to="/plans">See plans</TextLink>}
        </p>
        {data?.isTrialUsed && (
          <p className="mt-1 text-quiet">
            Your e-mail address has had the trial of <bdi>{name}</bdi>. Each address gets it once.
          </p>
        )}
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
            {data && data.trialDays !== null && (
              <TrialButton
                userId={userId}
                service={{ ...service, down: data.down, billing: trialBilling(billing) }}
                days={data.trialDays}
              />
            )}
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
