import type { CheckoutSession, LineItem } from '../objects/types.ts';
import type { Row } from '../work.ts';
import { cardForm, testCardList, type Problems } from './card-form.ts';
import { isFree } from '../money/checkout/pay-checkout.ts';
import { html, money, page, type Html } from './html.ts';
import { payerForms, totalRows, type PayerProblems } from './payer-forms.ts';

export type CheckoutState = {
  typed?: URLSearchParams;
  problems?: Problems;
  refusal?: string;
  payer?: PayerProblems;
};

export function checkoutPage(session: Row<'checkout.session'>, { payer, ...state }: CheckoutState = {}): string {
  const { body, memory } = session;
  const subscribes = body.mode === 'subscription';
  const total = money(body.amount_total, body.currency);
  const period = memory.items[0]?.price.recurring;
  // the first payment may be lower than later ones
  const isLess = (body.total_details?.amount_discount ?? 0) > 0;
  const name = period
    ? `${period.interval_count === 1 ? '' : `${period.interval_count} `}${period.interval}`
    : undefined;
  const every = name === undefined ? '' : isLess ? ' now' : `/${name}`;
  return page(
    'Checkout',
    html`<section>
        <h1>${subscribes ? 'Subscribe' : 'Pay'}</h1>
        <p class="amount">${total}<span class="quiet">${every}</span></p>
        <ul class="items">
          ${memory.items.map(itemRow)}${totalRows(session)}
        </ul>
        ${payerForms(session, payer)}
        ${body.cancel_url === null ? html`` : html`<a class="cancel" href="${body.cancel_url}">Cancel and go back</a>`}
      </section>
      ${
        isFree(body)
          ? html`<form class="card" method="post" action="/dev-stripe/pay/${body.id}">
              ${hiddenTotal(body)}
              <button name="complete" value="1">Complete order</button>
            </form>`
          : html`${cardForm({
              hidden: hiddenTotal(body),
              action: `/dev-stripe/pay/${body.id}`,
              note: body.custom_text.submit?.message,
              button: subscribes ? `Subscribe for ${total}${every}` : `Pay ${total}`,
              asksEmail: asksEmail(body),
              methods: body.payment_method_types,
              ...state,
            })}
            ${testCardList(body.payment_method_types)}`
      }`,
  );
}

/** Hidden field with the total shown, so that a changed total is detected. */
const hiddenTotal = ({ amount_total: total }: CheckoutSession): Html =>
  html`<input type="hidden" name="total" value="${total}" />`;

/** Whether the page asks for an e-mail address, because the session has none for the receipt. */
export function asksEmail(session: CheckoutSession): boolean {
  return session.customer === null && session.customer_email === null;
}

function itemRow({ description, quantity, amount_subtotal: amount, currency }: LineItem): Html {
  const name = `${description ?? ''}${quantity === 1 ? '' : ` × ${quantity}`}`;
  return html`<li><span>${name}</span><span>${money(amount, currency)}</span></li>`;
}

/** Renders a minimal 3-D Secure page of the bank. */
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
