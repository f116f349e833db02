import { sumOf } from '../money/invoices/totals.ts';
import type { Charge, Invoice } from '../objects/types.ts';
import { cardForm, testCardList, type Methods, type Problems } from './card-form.ts';
import { html, money, page, type Html } from './html.ts';

type BackLink = { returnUrl: string };
export type InvoiceState = { typed?: URLSearchParams; problems?: Problems; refusal?: string };

const day = (seconds: number) =>
  new Date(seconds * 1000).toLocaleDateString('en-US', { dateStyle: 'long', timeZone: 'UTC' });

/** Whether an invoice can be paid, including one that was written off. */
export const isPayable = ({ status }: Invoice): boolean => status === 'open' || status === 'uncollectible';

/** Renders an invoice, with a payment form if it can be paid. */
export function invoicePage(
  invoice: Invoice,
  { returnUrl, methods }: BackLink & { methods: Methods },
  state: InvoiceState = {},
): string {
  const amount = money(invoice.amount_due, invoice.currency);
  const isOpen = isPayable(invoice);
  return page(
    `Invoice ${invoice.number ?? ''}`,
    html`<section>
        <h1>Invoice ${invoice.number ?? ''}</h1>
        <p class="amount">${amount}</p>
        <p class="quiet">${day(invoice.created)}, ${isOpen ? 'not paid yet' : invoice.status}</p>
        ${listItems(invoice)}
        ${isOpen ? html`<a class="cancel" href="${returnUrl}">Go back without paying</a>` : goBack(returnUrl)}
      </section>
      ${
        isOpen
          ? html`${cardForm({
              action: `/dev-stripe/invoice/${invoice.id}`,
              button: `Pay ${amount}`,
              asksEmail: false,
              methods,
              ...state,
            })}
            ${testCardList(methods)}`
          : html``
      }`,
  );
}

/** @param invoice paid invoice; undefined if the charge has none */
export function receiptPage(charge: Charge, invoice: Invoice | undefined, { returnUrl }: BackLink): string {
  const refunded = charge.amount_refunded > 0;
  return page(
    'Receipt',
    html`<section>
      <h1>Receipt</h1>
      <p class="amount">${money(charge.amount, charge.currency)}</p>
      <p class="quiet">Paid on ${day(charge.created)}</p>
      ${invoice && listItems(invoice)}
      ${refunded ? html`<p>Refunded: ${money(charge.amount_refunded, charge.currency)}</p>` : html``}
      ${goBack(returnUrl)}
    </section>`,
  );
}

/** Renders the lines, discount, tax and total. */
function listItems({ lines, subtotal, currency, automatic_tax, ...invoice }: Invoice): Html {
  const sum = (amounts: readonly { amount: number }[] | null) => sumOf((amounts ?? []).map(({ amount }) => amount));
  const [off, tax] = [sum(invoice.total_discount_amounts), sum(invoice.total_taxes)];
  const row = (name: string, amount: number) =>
    html`<li><span>${name}</span><span>${money(amount, currency)}</span></li>`;
  const totals = [
    row('Subtotal', subtotal),
    ...(off === 0 ? [] : [row('Discount', -off)]),
    ...(automatic_tax.enabled ? [row('Tax', tax)] : []),
    row('Total', invoice.total),
  ];
  return html`<ul class="items">
    ${lines.data.map((line) => row(line.description ?? '', line.amount))}
    ${off === 0 && !automatic_tax.enabled ? html`` : totals}
  </ul>`;
}

const goBack = (returnUrl: string) => html`<a class="button" href="${returnUrl}">Go back</a>`;
