import { formatMonthly } from '#ui/text/amount.ts';
import { config } from '#web/config.ts';
import { BeforeYouPay } from '#web/navigation/legal-links.tsx';
import { PaymentOptions } from './payment-options.tsx';

export type RenewalTermsProps = {
  price: { amount: number; currency: string };
  /** Names what the user keeps after canceling, until the paid month ends. */
  keep: string;
};

/** Says, before a payment that renews, how to stop it, how it is paid, and which terms apply. */
export function RenewalTerms({ price, keep }: RenewalTermsProps) {
  return (
    <div className="border-t border-line pt-4 text-[0.8125rem] text-quiet">
      <p>
        Renews at {formatMonthly(price.amount, price.currency)}
        {config.addsTax && ' plus tax'} until you cancel. You can cancel at any time in Billing, and keep {keep} until
        the month you paid for ends.
      </p>
      <p className="mt-2">
        {config.payments === 'sandbox' ? (
          <>
            Demo payments: no money moves. Pay with the card{' '}
            <span className="whitespace-nowrap">4242 4242 4242 4242</span>.
          </>
        ) : (
          'You pay on the page of our payment provider.'
        )}
      </p>
      <PaymentOptions />
      <BeforeYouPay newTab />
    </div>
  );
}
