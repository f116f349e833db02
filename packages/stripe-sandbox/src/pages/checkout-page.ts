import type { CheckoutSession, LineItem } from '../objects/types.ts';
import type { Row } from '../work.ts';
import { cardForm, testCardList, type Problems } from './card-form.ts';
import { html, money, page, type Html } from './html.ts';

export type CheckoutState = {
  typed?: URLSearchParams;
  problems?: Problems;
  refusal?: string;
};

/** The page of an open session. */
export function checkoutPage({ body, memory }: Row<'checkout.session'>, state: CheckoutState = {}): string {
  const total = money(body.amount_total, body.currency);
  const subscribes = body.mode === 'subscription';
  const period = memory.items[0]?.price.recurring;
  const every = period
    ? ` per ${period.interval_count === 1 ? '' : `${period.interval_count} `}${period.interval}`
    : '';
  return page(
    'Checkout',
    html`<section>
        <h1>${subscribes ? 'Subscribe' : 'Pay'}</h1>
        <p class="amount">${total}<span class="quiet">${every}</span></p>
        <ul class="items">
          ${memory.items.map(itemRow)}
        </ul>
        ${body.cancel_url === null ? html`` : html`<a class="cancel" href="${body.cancel_url}">Cancel and go back</a>`}
      </section>
      ${cardForm({
        action: `/dev-stripe/pay/${body.id}`,
        button: subscribes ? `Subscribe for ${total}${every}` : `Pay ${total}`,
        asksEmail: asksEmail(body),
        methods: body.payment_method_types,
        ...state,
      })}
      ${testCardList(body.payment_method_types)}`,
  );
}

/** A person whom the session does not know has to say where a receipt would go. */
export function asksEmail(session: CheckoutSession): boolean {
  return session.customer === null && session.customer_email === null;
}

function itemRow({ description, quantity, amount_total: amount, currency }: LineItem): Html {
  const name = `${description ?? ''}${quantity === 1 ? '' : ` × ${quantity}`}`;
  return html`<li><span>${name}</span><span>${money(amount, currency)}</span></li>`;
}

/** The page of a card's bank, in miniature. */
export function authenticatePage({ body }: Row<'checkout.session'>): string {
  return page(
    '3-D Secure',
    html`<section>
      <h1>3-D Secure</h1>
      <p>The bank of this card asks whether you want to pay ${money(body.amount_total, body.currency)}.</p>
      <form method="post" action="/dev-stripe/pay/${body.id}/authenticate">
        <button name="answer" value="complete">Complete authentication</button>
        <button name="answer" value="fail" class="second">Fail authentication</button>
      </form>
    </section>`,
  );
}

/** A page that has nothing to do. */
export function messagePage(title: string, text: string, link?: { href: string; text: string }): string {
  return page(
    title,
    html`<section>
      <h1>${title}</h1>
      <p>${text}</p>
      ${link ? html`<a class="button" href="${link.href}">${link.text}</a>` : html``}
    </section>`,
  );
}
