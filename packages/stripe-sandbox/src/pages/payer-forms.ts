import { demoCodes } from '../money/checkout/demo-codes.ts';
import { demoCountries, taxRuleOf } from '../money/demo-tax.ts';
import { applyCode, setAddress } from '../money/checkout/session-totals.ts';
import type { Row, Work } from '../work.ts';
import { html, money, type Html } from './html.ts';

type Session = Row<'checkout.session'>;
/** Problems in the forms next to the card form. */
export type PayerProblems = { code?: string; country?: string; taxId?: string; typed?: URLSearchParams };

const countryNames = new Intl.DisplayNames('en-US', { type: 'region' });

/** Renders discount and tax between the items and the total; empty if the session uses neither. */
export function totalRows({ body, memory }: Session): Html {
  const { amount_discount: off = 0, amount_tax: tax = 0 } = body.total_details ?? {};
  const asksTax = body.automatic_tax.enabled;
  if (!body.allow_promotion_codes && !asksTax) return html``;
  const amount = (cents: number) => money(cents, body.currency);
  const rule = taxRuleOf(memory.address?.country, memory.taxId);
  const taxName = memory.address === undefined ? 'Tax' : `Tax, DEMO rate of ${rule.percent} %`;
  const taxText =
    memory.address === undefined
      ? 'Enter your address'
      : rule.reason === 'reverse_charge'
        ? `${amount(tax)} (reverse charge)`
        : amount(tax);
  return html`<li><span>Subtotal</span><span>${amount(body.amount_subtotal ?? 0)}</span></li>
    ${off === 0 ? html`` : html`<li><span>Discount</span><span>-${amount(off)}</span></li>`}
    ${asksTax ? html`<li><span>${taxName}</span><span>${taxText}</span></li>` : html``}
    <li><span>Total due</span><span>${amount(body.amount_total)}</span></li>`;
}

/** Renders the forms for address and promotion code, which change the total. */
export function payerForms(session: Session, problems: PayerProblems = {}): Html {
  const { body } = session;
  return html`${body.automatic_tax.enabled ? addressForm(session, problems) : html``}
  ${body.allow_promotion_codes ? codeForm(session, problems) : html``}`;
}

const problem = (id: string, text: string | undefined): Html =>
  text === undefined ? html`` : html`<p class="problem" id="${id}-problem" role="alert">${text}</p>`;
const invalid = (id: string, text: string | undefined): Html =>
  text === undefined ? html`` : html` aria-invalid="true" aria-describedby="${id}-problem"`;

function addressForm({ id, memory }: Session, { country, taxId, typed }: PayerProblems): Html {
  const chosen = typed?.get('country') ?? memory.address?.country ?? '';
  const field = (name: string, known: string | undefined) => (typed?.get(name) ?? known ?? '').slice(0, 50);
  return html`<form method="post" action="/dev-stripe/pay/${id}" novalidate>
    <h2>Billing address</h2>
    <div class="field">
      <label for="country">Country</label>
      <select id="country" name="country" required${invalid('country', country)}>
        <option value="">Choose a country</option>
        ${demoCountries.map(
          (one) =>
            html`<option value="${one}" ${one === chosen ? html` selected` : html``}>${countryNames.of(one)}</option>`,
        )}
      </select>
      ${problem('country', country)}
    </div>
    <div class="row">
      <div class="field">
        <label for="postal_code">Postal code</label>
        <input
          id="postal_code"
          name="postal_code"
          maxlength="20"
          value="${field('postal_code', memory.address?.postalCode)}"
        />
      </div>
      <div class="field">
        <label for="tax_id">Business tax ID</label>
        <input
          id="tax_id"
          name="tax_id"
          maxlength="30"
          placeholder="DE123456789"
          value="${field('tax_id', memory.taxId)}"
          ${invalid('tax_id', taxId)}
        />
        ${problem('tax_id', taxId)}
      </div>
    </div>
    <button class="second">Update total</button>
  </form>`;
}

function codeForm({ id, memory }: Session, { code, typed }: PayerProblems): Html {
  const isApplied = memory.promotionCode !== undefined;
  return html`<form method="post" action="/dev-stripe/pay/${id}" novalidate>
    <h2>Promotion code</h2>
    ${isApplied ? html`<p>A code is applied.</p>` : html``}
    <div class="field">
      <label for="code">Code</label>
      <input
        id="code"
        name="code"
        maxlength="100"
        autocomplete="off"
        value="${(typed?.get('code') ?? '').slice(0, 100)}"
        ${invalid('code', code)}
      />
      ${problem('code', code)}
    </div>
    <button class="second">Apply</button>
    ${isApplied ? html`<button class="second" name="remove" value="1">Remove code</button>` : html``}
    <details>
      <summary>Demo codes</summary>
      <dl>
        ${Object.entries(demoCodes).map(
          ([name, { label }]) =>
            html`<dt>${name}</dt>
              <dd>${label}</dd>`,
        )}
      </dl>
    </details>
  </form>`;
}

/**
 * Applies the entered address and code to the session.
 * @returns the problems; undefined if there are none
 */
export async function applyPayerForms(
  work: Work,
  session: Session,
  form: URLSearchParams,
): Promise<PayerProblems | undefined> {
  const { automatic_tax: tax, allow_promotion_codes: allowsCodes } = session.body;
  const problems: PayerProblems = {};
  const country = form.get('country');
  if (tax.enabled && country !== null) {
    const taxId = (form.get('tax_id') ?? '').replaceAll(/[\s.-]/g, '').toUpperCase();
    if (!demoCountries.includes(country)) problems.country = 'Choose a country.';
    if (taxId !== '' && !/^[A-Z]{2}[A-Z0-9]{2,13}$/.test(taxId)) problems.taxId = 'Enter a tax ID such as DE123456789.';
    if (problems.country === undefined && problems.taxId === undefined)
      await setAddress(work, session, {
        address: { country, postalCode: (form.get('postal_code') ?? '').trim().slice(0, 20) },
        taxId: taxId === '' || !session.body.tax_id_collection?.enabled ? undefined : taxId,
      });
  }
  const code = form.get('remove') === null ? form.get('code') : '';
  if (allowsCodes && code !== null) {
    const wrong = await applyCode(work, session, code);
    if (wrong !== undefined) problems.code = wrong;
  }
  return Object.keys(problems).length === 0 ? undefined : { ...problems, typed: form };
}
