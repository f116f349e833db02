import type { ReactNode } from 'react';
import type { SubscriptionAnswer } from '@souk/contract/billing/billing.ts';
import { formatCount } from '#ui/text/amount.ts';
import { Card } from '#ui/card.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { Day } from '#ui/text/moment.tsx';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { CreditWorth } from '../plans/credit-worth.tsx';
import { SpendCap } from './spend-cap.tsx';
import { config, sells } from '#web/config.ts';

type CreditsOf = SubscriptionAnswer['credits'];

const sourceTexts: Record<CreditsOf['parts'][number]['source'], string> = {
  plan: 'From your plan',
  promotional: 'Promotional',
  purchased: 'Bought',
};

/** The available credits, their parts in the order in which they are spent, and the monthly limit. */
export function Credits({ userId, credits }: { userId: string; credits: CreditsOf }) {
  return (
    <TitledSection
      id="credits-heading"
      title="Credits"
      actions={
        sells && (
          <LinkButton to="/plans" hash="packages">
            Buy credits
          </LinkButton>
        )
      }
    >
      <div className="grid gap-4 lg:grid-cols-2">
        <Card padding="large">
          <p className="text-3xl/9 font-semibold tracking-tight tabular-nums">{formatCount(credits.available)}</p>
          <p className="mt-1 text-quiet">Available for pay-per-use services</p>
          <CreditWorth className="mt-1 text-[0.8125rem] text-quiet tabular-nums" />
          <Parts credits={credits} />
        </Card>
        <SpendCap userId={userId} />
      </div>
    </TitledSection>
  );
}

function Parts({ credits }: { credits: CreditsOf }) {
  const { parts, held, debt } = credits;
  if (parts.length === 0 && held === 0 && debt === 0) {
    return (
      <p className="mt-5 border-t border-line pt-4 text-quiet">
        Most tools are free to use. Calls that have a price use credits, and only when they succeed.
        {config.welcomeCredits > 0 &&
          ' Each e-mail address gets welcome credits once: a new account after a deleted one has none.'}
      </p>
    );
  }
  return (
    <dl className="mt-5 divide-y divide-line border-t border-line">
      {parts.map(({ source, credits: amount, expiresAt, isWelcome }) => (
        <Part
          key={`${source} ${expiresAt} ${isWelcome}`}
          name={isWelcome ? 'Welcome credits' : sourceTexts[source]}
          amount={amount}
        >
          {expiresAt === null ? (
            'never expire'
          ) : (
            <>
              expire <Day moment={expiresAt} />
            </>
          )}
        </Part>
      ))}
      {held > 0 && (
        <Part name="Held" amount={held}>
          for calls under way
        </Part>
      )}
      {debt > 0 && (
        <Part name="Debt" amount={-debt}>
          after a refund; new credits repay it first
        </Part>
      )}
    </dl>
  );
}

function Part({ name, amount, children }: { name: string; amount: number; children: ReactNode }) {
  return (
    <div className="flex items-baseline justify-between gap-4 py-2.5">
      <dt className="min-w-0">
        {name} <span className="text-quiet">{children}</span>
      </dt>
      <dd className="font-medium tabular-nums">{formatCount(amount)}</dd>
    </div>
  );
}
