import type { PaymentMethod } from '../objects/types.ts';
import { cardForm, testCardList } from './card-form.ts';
import { html, page } from './html.ts';
import type { InvoiceState } from './invoice-page.ts';

/** Payment method types of the portal, which stores no bank accounts. */
export const portalMethods = ['card'] as const;

/** Renders the page to change the card that subscriptions are charged to. */
export function changeCardPage(given: {
  id: string;
  target: string;
  known: PaymentMethod | undefined;
  state: InvoiceState;
}): string {
  const { card } = given.known ?? {};
  return page(
    'Change card',
    html`<section>
        <h1>Change card</h1>
        <p class="quiet">
          ${card ? `Renewals are charged to the card that ends in ${card.last4}.` : 'Renewals are charged to the new card.'}
        </p>
        <a class="cancel" href="${given.target}">Go back without a change</a>
      </section>
      ${cardForm({
        action: `/dev-stripe/portal/${given.id}`,
        button: 'Save card',
        asksEmail: false,
        methods: portalMethods,
        ...given.state,
      })}
      ${testCardList(portalMethods)}`,
  );
}
