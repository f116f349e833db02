import type { PayerCard } from '../objects/types.ts';
import { findTestCard, testCards, type TestCard } from '../money/test-cards.ts';
import { html, type Html } from './html.ts';

const fields = ['email', 'number', 'expiry', 'cvc', 'name'] as const;
type Field = (typeof fields)[number];
export type Problems = Partial<Record<Field, string>>;

const spaced = (number: string) => number.replace(/.{4}(?=.)/g, '$& ');

/** Payment method types that a page accepts. */
export type Methods = readonly string[];
const isAccepted = (methods: Methods) => (card: TestCard) => methods.includes(card.debit ? 'sepa_debit' : 'card');

export function readCard(
  form: URLSearchParams,
  given: { asksEmail: boolean; methods: Methods; now: Date },
): { card: PayerCard } | { problems: Problems } {
  const value = (field: Field) => (form.get(field) ?? '').trim();
  const number = value('number').replace(/[\s-]/g, '');
  // users may omit the slash, which Stripe's own form inserts
  const expiry = /^(\d{1,2})\s?[/-]?\s?(?:20)?(\d{2})$/.exec(value('expiry'));
  const [expMonth, expYear] = [Number(expiry?.[1] ?? 0), 2000 + Number(expiry?.[2] ?? 0)];
  const problems: Problems = {};
  const card = findTestCard(number);
  if (number === '') problems.number = 'Enter a card number.';
  else if (!card || !isAccepted(given.methods)(card)) {
    problems.number = 'This is not a test card of the sandbox. Use one from the list, and never a real card.';
  }
  if (!expiry || expMonth < 1 || expMonth > 12) problems.expiry = 'Enter month and year, such as 12 / 34.';
  else if (new Date(Date.UTC(expYear, expMonth, 1)) <= given.now) problems.expiry = 'The card has expired.';
  if (!/^\d{3,4}$/.test(value('cvc'))) problems.cvc = 'Enter the 3 digits of the security code.';
  if (value('name') === '' || value('name').length > 100) problems.name = 'Enter the name on the card.';
  if (given.asksEmail && !/^[^\s@]{1,100}@[^\s@]{1,100}$/.test(value('email'))) {
    problems.email = 'Enter an e-mail address.';
  }
  if (Object.keys(problems).length > 0) return { problems };
  return { card: { number, expMonth, expYear, name: value('name'), email: value('email') } };
}

/** Renders the card form. A number that is not a test card is never shown again, because it may be real. */
export function cardForm(given: {
  action: string;
  button: string;
  /** Seller's text next to the button. */
  note?: string | undefined;
  asksEmail: boolean;
  methods: Methods;
  hidden?: Html;
  typed?: URLSearchParams | undefined;
  problems?: Problems | undefined;
  refusal?: string | undefined;
}): Html {
  const { typed, problems = {} } = given;
  const firstWrong = fields.find((field) => problems[field] !== undefined);
  const input = (name: Field, label: string, attributes: Html, shown = typed?.get(name) ?? '') => {
    const problem = problems[name];
    const state =
      problem === undefined
        ? html``
        : html` aria-invalid="true" aria-describedby="${name}-problem"${name === firstWrong ? html` autofocus` : html``}`;
    return html`<div class="field">
      <label for="${name}">${label}</label>
      <input id="${name}" name="${name}" value="${shown.slice(0, 200)}" required ${attributes}${state} />
      ${problem === undefined ? html`` : html`<p class="problem" id="${name}-problem">${problem}</p>`}
    </div>`;
  };
  const number = (typed?.get('number') ?? '').replace(/[\s-]/g, '');
  return html`<form class="card" method="post" action="${given.action}" novalidate>
    <h2>Card</h2>
    ${given.hidden} ${given.refusal === undefined ? html`` : html`<p role="alert">${given.refusal}</p>`}
    ${given.asksEmail ? input('email', 'E-mail', html`type="email" maxlength="200" autocomplete="email"`) : html``}
    ${input(
      'number',
      'Card number',
      html`inputmode="${given.methods.includes('sepa_debit') ? 'text' : 'numeric'}" maxlength="40" autocomplete="off"
      placeholder="4242 4242 4242 4242" list="test-cards"`,
      findTestCard(number) ? spaced(number) : '',
    )}
    <datalist id="test-cards">
      ${testCards.filter(isAccepted(given.methods)).map((card) => html`<option value="${spaced(card.number)}">${card.label}</option>`)}
    </datalist>
    <div class="row">
      ${input('expiry', 'Expiry', html`inputmode="numeric" maxlength="9" autocomplete="off" placeholder="MM / YY"`)}
      ${input('cvc', 'Security code', html`inputmode="numeric" maxlength="4" autocomplete="off" placeholder="CVC"`, '')}
    </div>
    ${input('name', 'Name on card', html`maxlength="100" autocomplete="off"`)}
    ${given.note === undefined ? html`` : html`<p class="quiet">${given.note}</p>`}
    <button>${given.button}</button>
  </form>`;
}

/** Lists the accepted test cards with their effects. Any plausible expiry and security code is accepted. */
export function testCardList(methods: Methods): Html {
  return html`<details class="test-cards" open>
    <summary>${methods.includes('sepa_debit') ? 'Test cards and bank accounts' : 'Test cards'}</summary>
    <p class="hint">Any expiry in the future, any security code.</p>
    <dl>
      ${testCards.filter(isAccepted(methods)).map(
        (card) =>
          html`<dt>${spaced(card.number)}</dt>
            <dd>${card.label}</dd>`,
      )}
    </dl>
  </details>`;
}
