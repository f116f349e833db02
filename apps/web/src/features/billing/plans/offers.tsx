import type { CreditPackage, Plan } from '@souk/contract/billing/billing.ts';
import { creditPriceOf, creditWorthText } from '@souk/contract/billing/credit-worth.ts';
import type { ReactNode } from 'react';
import { BeforeYouPay } from '#web/navigation/legal-links.tsx';
import { ChangePlanDialog } from '../change/change-plan-dialog.tsx';
import { PaymentOptions } from '../payment-options.tsx';
import { BuyButton } from './buy-button.tsx';
import { KeptPlan } from './kept-plan.tsx';
import { PackageCard } from './package-card.tsx';
import { planAction } from './plan-action.ts';
import { PlanButton } from './plan-button.tsx';
import { PlanCard } from './plan-card.tsx';
import { SubscribeDialog } from './subscribe-dialog.tsx';
import { useBuying, type Buying, type BuyingParts } from './use-buying.ts';

export type OffersProps = BuyingParts & {
  services: (plan: Plan) => ReactNode;
};

export function Offers({ services, ...parts }: OffersProps) {
  const { shopper, plans, packages } = parts;
  const buying = useBuying(parts);
  const { paid, subscribing, changing } = buying;
  return (
    <>
      {paid && !plans.some(({ planId }) => planId === paid.mcpId) && <KeptPlan subscription={paid} />}
      {plans.length > 0 && <PlanGrid plans={plans} shopper={shopper} services={services} buying={buying} />}
      {packages.length > 0 && <PackageGrid packages={packages} buying={buying} />}
      <div className="mt-6 text-[0.8125rem] text-quiet">
        <PaymentOptions />
        <BeforeYouPay />
      </div>
      {shopper && (
        <SubscribeDialog
          userId={shopper.userId}
          plan={subscribing}
          {...buying.stateOf(subscribing?.planId ?? '')}
          onClose={buying.closeSubscribing}
          onSubscribe={buying.subscribe}
        />
      )}
      {shopper && paid && (
        <ChangePlanDialog
          userId={shopper.userId}
          subscription={paid}
          plan={changing}
          onClose={() => buying.setChanging(undefined)}
        />
      )}
    </>
  );
}

type PlanGridProps = Pick<OffersProps, 'plans' | 'shopper' | 'services'> & { buying: Buying };

function PlanGrid({ plans, shopper, services, buying }: PlanGridProps) {
  const { paid } = buying;
  return (
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
                  userId={shopper?.userId}
                  plan={plan}
                  action={planAction(plan, shopper, paid)}
                  profile={shopper?.plan}
                  paid={paid}
                  nextName={plans.find(({ planId }) => planId === paid?.nextPlanId)?.name}
                  {...buying.stateOf(plan.planId)}
                  onSubscribe={() => buying.buyPlan(plan)}
                  onChange={() => buying.setChanging(plan)}
                  onSignIn={() => buying.signIn('/plans')}
                />
              }
            />
          </li>
        ))}
      </ul>
    </section>
  );
}

function PackageGrid({ packages, buying }: { packages: readonly CreditPackage[]; buying: Buying }) {
  const creditPrice = creditPriceOf(packages);
  return (
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
                <BuyButton {...buying.stateOf(offer.packageId)} onClick={() => buying.buyPackage(offer)}>
                  Buy credits<span className="sr-only"> in the {offer.name} package</span>
                </BuyButton>
              }
            />
          </li>
        ))}
      </ul>
    </section>
  );
}
