import { readFileSync } from 'node:fs';
import type { IncomingMessage } from 'node:http';
import { StripeError } from '../api/stripe-error.ts';
import type { ChargeResult } from '../money/charge-card.ts';
import { readAccount } from '../objects/account.ts';
import {
  authenticateCheckout,
  completeFree,
  isFree,
  maxRefusals,
  payCheckout,
} from '../money/checkout/pay-checkout.ts';
import { checkCode } from '../money/checkout/session-totals.ts';
import { payOpenInvoice } from '../money/invoices/pay-open-invoice.ts';
import type { Charge, Invoice } from '../objects/types.ts';
import type { RunWork } from '../run-work.ts';
import type { Row, Work } from '../work.ts';
import { readCard } from './card-form.ts';
import { asksEmail, authenticatePage, checkoutPage, messagePage } from './checkout-page.ts';
import { applyPayerForms } from './payer-forms.ts';
import { invoicePage, isPayable, receiptPage, type InvoiceState } from './invoice-page.ts';
import { changeCardPage, portalMethods } from './portal-page.ts';
import { subscriptionOf } from '../money/subscriptions/subscription.ts';
import { changeCard } from '../money/change-card.ts';

const styles = readFileSync(new URL('./styles.css', import.meta.url), 'utf8');

export type PageAnswer = { status: number; headers: Record<string, string>; body: string };
export type Pages = { answer(request: IncomingMessage, body: string): Promise<PageAnswer> };

const path = /^\/dev-stripe\/(pay|invoice|receipt|portal)\/([A-Za-z0-9_]{1,100})(\/authenticate)?$/;

/**
 * Serves the payment pages. Knowing a page's address grants access, because ids are unguessable. Forms from other origins are
 * still refused.
 */
export function createPages(given: { run: RunWork; publicUrl: string; returnUrl: string }): Pages {
  const { run, publicUrl } = given;
  return {
    async answer(request, body) {
      const url = new URL(request.url ?? '/', 'http://sandbox');
      if (url.pathname === '/dev-stripe/styles.css') return stylesheet;
      const [, kind, id = '', authenticate] = path.exec(url.pathname) ?? [];
      const isPost = request.method === 'POST';
      if (!isPost && request.method !== 'GET') throw new StripeError(405, 'Only GET and POST are supported.');
      if (isPost && request.headers.origin !== undefined && request.headers.origin !== publicUrl) {
        throw new StripeError(403, 'This form was sent from another site.');
      }
      const form = isPost ? new URLSearchParams(body) : undefined;
      return run(isPost ? 'write' : 'read', async (work) => {
        if (kind === 'pay') return payPage(work, id, authenticate !== undefined, form);
        if (kind === 'invoice') return openInvoicePage(work, id, form, given);
        if (kind === 'portal') return portalPage(work, id, form);
        const charge = kind === 'receipt' ? await work.get('charge', id) : undefined;
        if (!charge?.body.paid) return notFound();
        return show(200, receiptPage(charge.body, await invoiceOf(work, charge.body), given));
      });
    },
  };
}

/** Returns the invoice that a charge paid; undefined if it has none. */
async function invoiceOf(work: Work, { payment_intent }: Charge): Promise<Invoice | undefined> {
  const payment = { type: 'payment_intent', payment_intent };
  const [paid] = await work.find('invoice_payment', { body: { payment }, limit: 1 });
  return paid && (await work.need('invoice', paid.body.invoice)).body;
}

async function payPage(
  work: Work,
  id: string,
  authenticate: boolean,
  form: URLSearchParams | undefined,
): Promise<PageAnswer> {
  const session = await work.get('checkout.session', id);
  if (!session) return notFound();
  const closed = closedPage(session, form !== undefined);
  if (closed) return closed;
  const targets = [new URL(session.body.success_url).origin];
  if (authenticate) return authenticationPage(work, session, form, targets);
  if (!form) return show(200, checkoutPage(session), targets);
  if (session.memory.refusals >= maxRefusals) {
    return show(429, messagePage('Too many refused cards', 'Go back and start again.', cancelLink(session)));
  }
  const payer = await applyPayerForms(work, session, form);
  if (payer) return show(422, checkoutPage(session, { payer }), targets);
  const isPaying = form.has('number') || form.has('complete');
  if (!isPaying) return goTo(`/dev-stripe/pay/${id}`);
  const unpayable = await whyUnpayable(work, session, form);
  if (unpayable) return show(unpayable.status, checkoutPage(session, { ...unpayable, typed: form }), targets);
  if (isFree(session.body)) {
    await completeFree(work, session);
    return goTo(successUrl(session));
  }
  const read = readCard(form, {
    asksEmail: asksEmail(session.body),
    methods: session.body.payment_method_types,
    now: new Date(work.nowMs),
  });
  if ('problems' in read) return show(422, checkoutPage(session, { typed: form, ...read }), targets);
  return afterCharge(session, await payCheckout(work, session, read.card), form, targets);
}

/** Checks that the address is known, the code still valid and the total still the one shown. */
async function whyUnpayable(
  work: Work,
  session: Row<'checkout.session'>,
  form: URLSearchParams,
): Promise<{ status: number; refusal?: string; payer?: { code?: string; country?: string } } | undefined> {
  const { body, memory } = session;
  if (body.automatic_tax.enabled && memory.address === undefined)
    return { status: 422, payer: { country: 'Choose a country.' } };
  const code = await checkCode(work, session);
  if (code !== undefined) return { status: 422, payer: { code } };
  const shown = form.get('total');
  if (shown === null || shown === String(body.amount_total)) return undefined;
  return { status: 409, refusal: 'The total has changed. Check it, then pay again.' };
}

async function authenticationPage(
  work: Work,
  session: Row<'checkout.session'>,
  form: URLSearchParams | undefined,
  targets: string[],
): Promise<PageAnswer> {
  if (session.memory.waiting === null) return goTo(`/dev-stripe/pay/${session.id}`);
  if (!form) return show(200, authenticatePage(session), targets);
  const result = await authenticateCheckout(work, session, form.get('answer') === 'complete');
  return afterCharge(session, result, undefined, targets);
}

function afterCharge(
  session: Row<'checkout.session'>,
  result: ChargeResult,
  typed: URLSearchParams | undefined,
  targets: string[],
): PageAnswer {
  if (result === 'paid' || result === 'processing') return goTo(successUrl(session));
  if (result === 'authenticates') return goTo(`/dev-stripe/pay/${session.id}/authenticate`);
  return show(402, checkoutPage(session, { ...(typed && { typed }), refusal: result.message }), targets);
}

/** Returns the page of a session that can no longer be paid. A second click on Pay leads where the first one did. */
function closedPage(session: Row<'checkout.session'>, isPost: boolean): PageAnswer | undefined {
  const { status } = session.body;
  if (status === 'open') return undefined;
  if (status === 'complete' && isPost) return goTo(successUrl(session));
  if (status === 'complete') {
    const link = { href: successUrl(session), text: 'Continue' };
    return show(200, messagePage('Payment complete', 'This checkout has been paid.', link));
  }
  const text = 'This checkout can no longer be paid. Nothing was charged. Go back to the shop to see why.';
  return show(410, messagePage('Checkout expired', text, cancelLink(session)));
}

async function openInvoicePage(
  work: Work,
  id: string,
  form: URLSearchParams | undefined,
  backLink: { returnUrl: string },
): Promise<PageAnswer> {
  const invoice = await work.get('invoice', id);
  if (!invoice || invoice.body.status === 'draft') return notFound();
  const named = (await subscriptionOf(work, invoice))?.body.payment_settings?.payment_method_types;
  const methods = named ?? (await readAccount(work)).memory.paymentMethods;
  const shown = (state?: InvoiceState) => invoicePage(invoice.body, { ...backLink, methods }, state);
  if (!form || !isPayable(invoice.body)) return show(200, shown());
  const read = readCard(form, { asksEmail: false, methods, now: new Date(work.nowMs) });
  if ('problems' in read) return show(422, shown({ typed: form, ...read }));
  const result = await payOpenInvoice(work, invoice, read.card);
  if (typeof result === 'object') return show(402, shown({ typed: form, refusal: result.message }));
  return goTo(`/dev-stripe/invoice/${id}`);
}

/** Serves the customer portal, which only changes the card. */
async function portalPage(work: Work, id: string, form: URLSearchParams | undefined): Promise<PageAnswer> {
  const session = await work.get('billing_portal.session', id);
  const customer = session && (await work.get('customer', session.body.customer));
  if (!customer || customer.memory.deleted) return notFound();
  const target = session.body.return_url ?? work.publicUrl;
  const method = customer.body.invoice_settings.default_payment_method;
  const known = method === null ? undefined : (await work.need('payment_method', method)).body;
  const shown = (state: InvoiceState = {}) => changeCardPage({ id, target, known, state });
  if (!form) return show(200, shown(), [new URL(target).origin]);
  const read = readCard(form, { asksEmail: false, methods: portalMethods, now: new Date(work.nowMs) });
  if ('problems' in read) return show(422, shown({ typed: form, ...read }), [new URL(target).origin]);
  const decline = changeCard(work, customer, read.card);
  if (decline) return show(402, shown({ typed: form, refusal: decline.message }), [new URL(target).origin]);
  return goTo(target);
}

function successUrl({ id, body }: Row<'checkout.session'>): string {
  return new URL(body.success_url.replaceAll('{CHECKOUT_SESSION_ID}', id)).href;
}

function cancelLink({ body }: Row<'checkout.session'>) {
  return body.cancel_url === null ? undefined : { href: body.cancel_url, text: 'Go back' };
}

const stylesheet: PageAnswer = {
  status: 200,
  headers: { 'content-type': 'text/css; charset=utf-8', 'cache-control': 'public, max-age=3600' },
  body: styles,
};

function notFound(): PageAnswer {
  return show(404, messagePage('Not found', 'The sandbox has no page at this address.'));
}

function goTo(location: string): PageAnswer {
  return { status: 303, headers: { location, 'cache-control': 'no-store' }, body: '' };
}

/** @param formTargets origins that a form may redirect to, all of which Chromium checks */
function show(status: number, body: string, formTargets: readonly string[] = []): PageAnswer {
  const formAction = ["'self'", ...formTargets].join(' ');
  return {
    status,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': `default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; frame-ancestors 'none'; form-action ${formAction}`,
      'x-frame-options': 'DENY',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'same-origin',
      'cache-control': 'no-store',
    },
    body,
  };
}
