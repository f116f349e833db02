import type { CreditPackage, Plan, SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { useToast } from '#ui/overlay/use-toast.ts';
import { failureText } from '#web/texts/failure-text.ts';
import { useCheckout, type Purchase } from '../checkout.ts';
import { checkoutFailure } from '../failure-texts.ts';
import { noSubscription, subscriptionQuery } from '../queries.ts';
import { useChangedCard } from '../use-changed-card.ts';
import { planAction, type Shopper } from './plan-action.ts';
import { rememberPurchase, takePurchase } from './purchase-intent.ts';

export type BuyingParts = {
  shopper: Shopper;
  /** `buy` of the address: what the user chose before they signed in or changed their card. */
  buy: string | undefined;
  /** Takes `buy` out of the address, so that the choice is not repeated. */
  onTaken: () => void;
  onSignIn: (path: string) => Promise<never>;
  plans: readonly Plan[];
  packages: readonly CreditPackage[];
};
export type Buying = ReturnType<typeof useBuying>;

/** Returns what the buttons of plans and packages do: sign in, open a dialog, or go to the payment page. */
export function useBuying({ shopper, plans, packages, buy, onTaken, onSignIn }: BuyingParts) {
  const toast = useToast();
  const userId = shopper?.userId;
  const own = useQuery({ ...subscriptionQuery(userId ?? ''), enabled: userId !== undefined });
  // none if it cannot be fetched (spec part 1, section 8)
  const paidOf = ({ subscription }: SubscriptionAnswer) =>
    subscription.subscriptions.find(({ mcpId, source }) => mcpId === shopper?.plan?.planId && source === 'payment');
  const checkout = useCheckout(userId);
  const [changing, setChanging] = useState<Plan>();
  const [subscribingTo, setSubscribingTo] = useState<string>();
  const purchases = [...plans.map(planPurchase), ...packages.map(packagePurchase)];
  const start = async (purchase: (typeof purchases)[number]) => {
    if (checkout.isPending) return;
    if (!shopper) return signIn(rememberPurchase(purchase.planId));
    if (purchase.type === 'credit') return checkout.mutate(purchase);
    // the user may click before their rentals, which the dialog names, are loaded
    const data = own.data ?? (await own.refetch({ cancelRefetch: false })).data ?? noSubscription;
    checkout.reset();
    const plan = plans.find(({ planId }) => planId === purchase.planId);
    const action = plan && planAction(plan, shopper, paidOf(data));
    if (action === 'subscribe') setSubscribingTo(purchase.planId);
    if (action === 'upgrade' || action === 'downgrade') setChanging(plan);
  };
  const signIn = (path: string) => void onSignIn(path).catch((error: unknown) => toast.error(failureText(error)));
  useChangedCard(userId);
  useEffect(() => {
    if (userId === undefined) return;
    const wanted = takePurchase(buy);
    if (buy !== undefined) onTaken();
    const purchase = purchases.find(({ planId }) => planId === wanted);
    if (purchase) void start(purchase);
    // once for each user who comes back from signing in
    // oxlint-disable-next-line react-hooks/exhaustive-deps
  }, [userId]);
  return {
    paid: paidOf(own.data ?? noSubscription),
    signIn,
    buyPlan: (plan: Plan) => void start(planPurchase(plan)),
    buyPackage: (offer: CreditPackage) => void start(packagePurchase(offer)),
    stateOf(id: string) {
      const isThis = checkout.variables !== undefined && idOf(checkout.variables) === id;
      return {
        busy: isThis && checkout.isPending,
        failure: isThis && checkout.isError ? checkoutFailure(checkout.error) : undefined,
      };
    },
    changing,
    setChanging,
    /** Found by its id, since its price may change while the dialog is open. */
    subscribing: plans.find(({ planId }) => planId === subscribingTo),
    closeSubscribing: () => setSubscribingTo(undefined),
    subscribe: (plan: Plan, chosen: { endRentals: string[]; shownRentals: string[] }) =>
      checkout.mutate({ ...planPurchase(plan), ...chosen }),
  };
}

const planPurchase = ({ planId, amount }: Plan) => ({ type: 'subscription' as const, planId, shownAmount: amount });
const packagePurchase = ({ packageId, price }: CreditPackage) => ({
  type: 'credit' as const,
  planId: packageId,
  shownAmount: price,
});
const idOf = (purchase: Purchase) => (purchase.type === 'rental' ? purchase.mcpId : purchase.planId);
