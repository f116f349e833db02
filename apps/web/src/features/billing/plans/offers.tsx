import type { CreditPackage, Plan } from '@souk/contract/billing.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useToast } from '#ui/use-toast.ts';
import { failureText } from '#web/failure-text.ts';
import { ChangePlanDialog } from '../change/change-plan-dialog.tsx';
import { useCheckout, type Purchase } from '../checkout.ts';
import { checkoutFailure } from '../failure-texts.ts';
import { noSubscription, subscriptionQuery } from '../queries.ts';
import { useSubscriptionUpdates } from '../subscription-updated.ts';
import { BuyButton } from './buy-button.tsx';
import { PackageCard } from './package-card.tsx';
import { planAction, type OwnSubscription, type Shopper } from './plan-action.ts';
import { PlanButton } from './plan-button.tsx';
import { PlanCard } from './plan-card.tsx';
import { rememberPurchase, takePurchase } from './purchase-intent.ts';

export type OffersProps = {
  shopper: Shopper;
  /** `buy` of the address: what a visitor chose before signing in. */
  buy: string | undefined;
  /** Signs in, and comes back to `path`. */
  onSignIn: (path: string) => Promise<never>;
  plans: readonly Plan[];
  packages: readonly CreditPackage[];
};

/** The grid of plans, and of credit packages, with their buttons. */
export function Offers({ shopper, plans, packages, buy, onSignIn }: OffersProps) {
  const toast = useToast();
  const paid = usePaidSubscription(shopper?.userId, shopper?.plan?.planId);
  const checkout = useCheckout(shopper?.userId);
  const [changing, setChanging] = useState<Plan>();
  const purchases = [...plans.map(planPurchase), ...packages.map(packagePurchase)];

  const start = (purchase: ReturnType<typeof planPurchase | typeof packagePurchase>) => {
    if (checkout.isPending) return;
    if (shopper) checkout.mutate(purchase);
    else signIn(rememberPurchase(purchase.planId));
  };
  const signIn = (path: string) => void onSignIn(path).catch((error: unknown) => toast.error(failureText(error)));
  const stateOf = (id: string) => {
    const isThis = checkout.variables !== undefined && idOf(checkout.variables) === id;
    return {
      busy: isThis && checkout.isPending,
      failure: isThis && checkout.isError ? checkoutFailure(checkout.error) : undefined,
    };
  };

  const userId = shopper?.userId;
  useSubscriptionUpdates(userId);
  useEffect(() => {
    if (userId === undefined) return;
    const wanted = takePurchase(buy);
    const purchase = purchases.find(({ planId }) => planId === wanted);
    if (purchase) checkout.mutate(purchase);
    // once for each person who comes back from signing in
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [userId]);

  return (
    <>
      {plans.length > 0 && (
        <section aria-labelledby="plans">
          <h2 id="plans" className="sr-only">
            Plans
          </h2>
          <ul className="grid gap-4 sm:grid-cols-2 lg:grid-cols-4">
            {plans.map((plan) => (
              <li key={plan.planId} className="min-w-0">
                <PlanCard
                  plan={plan}
                  action={
                    <PlanButton
                      plan={plan}
                      action={planAction(plan, shopper, paid, plans)}
                      profile={shopper?.plan}
                      paid={paid}
                      nextName={plans.find(({ planId }) => planId === paid?.nextPlanId)?.name}
                      {...stateOf(plan.planId)}
                      onSubscribe={() => start(planPurchase(plan))}
                      onChange={() => setChanging(plan)}
                      onSignIn={() => signIn('/plans')}
                    />
                  }
                />
              </li>
            ))}
          </ul>
        </section>
      )}
      {packages.length > 0 && (
        <section aria-labelledby="packages" className="pt-12">
          <h2 id="packages" className="text-xl/7 font-semibold tracking-tight">
            Credit packages
          </h2>
          <p className="mt-1 text-quiet">
            Pay once and use them with any plan, Free included. Plan credits are spent first.
          </p>
          <ul className="mt-5 grid gap-4 lg:grid-cols-3">
            {packages.map((offer) => (
              <li key={offer.packageId} className="min-w-0">
                <PackageCard
                  offer={offer}
                  action={
                    <BuyButton {...stateOf(offer.packageId)} onClick={() => start(packagePurchase(offer))}>
                      Buy credits<span className="sr-only"> in the {offer.name} package</span>
                    </BuyButton>
                  }
                />
              </li>
            ))}
          </ul>
        </section>
      )}
      {shopper && paid && (
        <ChangePlanDialog
          userId={shopper.userId}
          subscription={paid}
          plan={changing}
          onClose={() => setChanging(undefined)}
        />
      )}
    </>
  );
}

const planPurchase = ({ planId, amount }: Plan) => ({ type: 'subscription' as const, planId, shownAmount: amount });
const packagePurchase = ({ packageId, price }: CreditPackage) => ({
  type: 'credit' as const,
  planId: packageId,
  shownAmount: price,
});
const idOf = (purchase: Purchase) => (purchase.type === 'rental' ? purchase.mcpId : purchase.planId);

/** The subscription that pays for the person's plan. Nothing where it cannot be fetched (spec part 1, section 8). */
function usePaidSubscription(userId: string | undefined, planId: string | undefined): OwnSubscription | undefined {
  const { data } = useQuery({ ...subscriptionQuery(userId ?? ''), enabled: userId !== undefined });
  const { subscriptions } = (data ?? noSubscription).subscription;
  return subscriptions.find(({ mcpId, source }) => mcpId === planId && source === 'payment');
}
