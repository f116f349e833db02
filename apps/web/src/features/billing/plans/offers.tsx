import type { CreditPackage, Plan, SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import { creditPriceOf, creditWorthText } from '@souk/contract/billing/credit-worth.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState, type ReactNode } from 'react';
import { useToast } from '#ui/overlay/use-toast.ts';
import { failureText } from '#web/texts/failure-text.ts';
import { BeforeYouPay } from '#web/navigation/legal-links.tsx';
import { ChangePlanDialog } from '../change/change-plan-dialog.tsx';
import { useCheckout, type Purchase } from '../checkout.ts';
import { PaymentOptions } from '../payment-options.tsx';
import { checkoutFailure } from '../failure-texts.ts';
import { noSubscription, subscriptionQuery } from '../queries.ts';
import { useChangedCard } from '../use-changed-card.ts';
import { BuyButton } from './buy-button.tsx';
import { KeptPlan } from './kept-plan.tsx';
import { PackageCard } from './package-card.tsx';
import { planAction, type Shopper } from './plan-action.ts';
import { PlanButton } from './plan-button.tsx';
import { PlanCard } from './plan-card.tsx';
import { rememberPurchase, takePurchase } from './purchase-intent.ts';
import { SubscribeDialog } from './subscribe-dialog.tsx';

export type OffersProps = {
  shopper: Shopper;
  /** `buy` of the address: what a person chose before they signed in or changed their card. */
  buy: string | undefined;
  /** Takes `buy` out of the address: what was chosen once is not asked again. */
  onTaken: () => void;
  /** Signs in, and comes back to `path`. */
  onSignIn: (path: string) => Promise<never>;
  plans: readonly Plan[];
  packages: readonly CreditPackage[];
  /** The services of a plan, of another feature. */
  services: (plan: Plan) => ReactNode;
};

/** The grid of plans, and of credit packages, with their buttons. */
export function Offers({ shopper, plans, packages, buy, services, onTaken, onSignIn }: OffersProps) {
  const toast = useToast();
  const userId = shopper?.userId;
  const own = useQuery({ ...subscriptionQuery(userId ?? ''), enabled: userId !== undefined });
  // nothing where it cannot be fetched (spec part 1, section 8)
  const paidOf = ({ subscription }: SubscriptionAnswer) =>
    subscription.subscriptions.find(({ mcpId, source }) => mcpId === shopper?.plan?.planId && source === 'payment');
  const paid = paidOf(own.data ?? noSubscription);
  const checkout = useCheckout(shopper?.userId);
  const [changing, setChanging] = useState<Plan>();
  const [subscribingTo, setSubscribingTo] = useState<string>();
  // by its id: its price may change while the dialog is open
  const subscribing = plans.find(({ planId }) => planId === subscribingTo);
  const creditPrice = creditPriceOf(packages);
  const purchases = [...plans.map(planPurchase), ...packages.map(packagePurchase)];

  const start = async (purchase: ReturnType<typeof planPurchase | typeof packagePurchase>) => {
    if (checkout.isPending) return;
    if (!shopper) return signIn(rememberPurchase(purchase.planId));
    if (purchase.type === 'credit') return checkout.mutate(purchase);
    // a click may be faster than the answer about what they rent, which the dialog names
    const data = own.data ?? (await own.refetch({ cancelRefetch: false })).data ?? noSubscription;
    checkout.reset();
    const plan = plans.find(({ planId }) => planId === purchase.planId);
    const action = plan && planAction(plan, shopper, paidOf(data));
    if (action === 'subscribe') setSubscribingTo(purchase.planId);
    if (action === 'upgrade' || action === 'downgrade') setChanging(plan);
  };
  const signIn = (path: string) => void onSignIn(path).catch((error: unknown) => toast.error(failureText(error)));
  const stateOf = (id: string) => {
    const isThis = checkout.variables !== undefined && idOf(checkout.variables) === id;
    return {
      busy: isThis && checkout.isPending,
      failure: isThis && checkout.isError ? checkoutFailure(checkout.error) : undefined,
    };
  };

  useChangedCard(userId);
  useEffect(() => {
    if (userId === undefined) return;
    const wanted = takePurchase(buy);
    if (buy !== undefined) onTaken();
    const purchase = purchases.find(({ planId }) => planId === wanted);
    if (purchase) void start(purchase);
    // once for each person who comes back from signing in
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [userId]);

  return (
    <>
      {paid && !plans.some(({ planId }) => planId === paid.mcpId) && <KeptPlan subscription={paid} />}
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
                  services={services(plan)}
                  action={
                    <PlanButton
                      userId={userId}
                      plan={plan}
                      action={planAction(plan, shopper, paid)}
                      profile={shopper?.plan}
                      paid={paid}
                      nextName={plans.find(({ planId }) => planId === paid?.nextPlanId)?.name}
                      {...stateOf(plan.planId)}
                      onSubscribe={() => void start(planPurchase(plan))}
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
            Pay once and use them with any plan, Free included. Plan credits are spent first.{' '}
            {creditPrice && `${creditWorthText(creditPrice)}.`}
          </p>
          <ul className="mt-5 grid gap-4 lg:grid-cols-3">
            {packages.map((offer) => (
              <li key={offer.packageId} className="min-w-0">
                <PackageCard
                  offer={offer}
                  action={
                    <BuyButton {...stateOf(offer.packageId)} onClick={() => void start(packagePurchase(offer))}>
                      Buy credits<span className="sr-only"> in the {offer.name} package</span>
                    </BuyButton>
                  }
                />
              </li>
            ))}
          </ul>
        </section>
      )}
      <div className="mt-6 text-[0.8125rem] text-quiet">
        <PaymentOptions />
        <BeforeYouPay />
      </div>
      {shopper && (
        <SubscribeDialog
          userId={shopper.userId}
          plan={subscribing}
          {...stateOf(subscribing?.planId ?? '')}
          onClose={() => setSubscribingTo(undefined)}
          onSubscribe={(plan, chosen) => checkout.mutate({ ...planPurchase(plan), ...chosen })}
        />
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
