import type { BillingAddress, CheckoutSession } from '../../objects/types.ts';
import type { Row, Work } from '../../work.ts';
import { taxRuleOf, type TaxRule } from '../demo-tax.ts';
import { findCode, isChargeable, problemOf } from './redeem-code.ts';
import { calculateLines, sumOf } from '../invoices/totals.ts';

type Session = Row<'checkout.session'>;

/** Returns the tax of an open session; undefined if it collects none. */
export const taxOfSession = ({ body, memory }: Session): TaxRule | undefined =>
  body.automatic_tax.enabled ? taxRuleOf(memory.address?.country, memory.taxId) : undefined;

/** Sets the billing address and recalculates the tax. */
export async function setAddress(
  work: Work,
  session: Session,
  { address, taxId }: { address: BillingAddress; taxId: string | undefined },
): Promise<void> {
  session.memory.address = address;
  if (taxId === undefined) delete session.memory.taxId;
  else session.memory.taxId = taxId;
  await updateTotals(work, session);
}

/**
 * Applies an entered promotion code; an empty one removes the discount.
 * @returns the code's problem
 */
export async function applyCode(work: Work, session: Session, typed: string): Promise<string | undefined> {
  const before = session.memory.promotionCode;
  const found = typed.trim() === '' ? undefined : await findCode(work, session.body, typed);
  if (found && 'problem' in found) return found.problem;
  await setCode(work, session, found?.id);
  if (isChargeable(session.body.amount_total, session.body.currency)) return undefined;
  await setCode(work, session, before);
  return 'With this code, the total would be below the smallest charge of the currency.';
}

/**
 * Checks the code before payment, and removes an invalid one.
 * @returns the code's problem
 */
export async function checkCode(work: Work, session: Session): Promise<string | undefined> {
  const { promotionCode } = session.memory;
  if (promotionCode === undefined) return undefined;
  const problem = await problemOf(work, session.body, (await work.need('promotion_code', promotionCode)).body);
  if (problem !== undefined) await setCode(work, session, undefined);
  return problem;
}

async function setCode(work: Work, session: Session, id: string | undefined): Promise<void> {
  if (id === undefined) delete session.memory.promotionCode;
  else session.memory.promotionCode = id;
  await updateTotals(work, session);
}

async function updateTotals(work: Work, session: Session): Promise<void> {
  const { body, memory } = session;
  const promotion =
    memory.promotionCode === undefined ? undefined : (await work.need('promotion_code', memory.promotionCode)).body;
  const coupon = promotion && (await work.need('coupon', promotion.promotion.coupon)).body;
  const lines = memory.items.map(({ amount_subtotal: amount }) => ({ amount, discountable: true }));
  const calculated = calculateLines(lines, { coupon, tax: taxOfSession(session) });
  for (const [index, item] of memory.items.entries()) {
    const { discount = 0, tax = 0, total = item.amount_subtotal } = calculated[index] ?? {};
    Object.assign(item, { amount_discount: discount, amount_tax: tax, amount_total: total });
  }
  const details: CheckoutSession['total_details'] = {
    amount_discount: sumOf(calculated.map(({ discount }) => discount)),
    amount_shipping: 0,
    amount_tax: sumOf(calculated.map(({ tax }) => tax)),
  };
  body.total_details = details;
  body.amount_total = sumOf(calculated.map(({ total }) => total));
  body.discounts = promotion ? [{ coupon: null, promotion_code: promotion.id }] : [];
  if (body.automatic_tax.enabled)
    body.automatic_tax.status = memory.address === undefined ? 'requires_location_inputs' : 'complete';
  if (memory.intent !== null) {
    const intent = await work.need('payment_intent', memory.intent);
    intent.body.amount = body.amount_total;
    work.save(intent);
  }
  work.save(session);
}
