import type { InvoicePayment } from '../../objects/types.ts';
import type { List } from '../../objects/wire.ts';
import type { Work } from '../../work.ts';

/** Returns the payments of an invoice, which can be expanded in it. */
export async function listInvoicePayments(work: Work, invoice: string): Promise<List<InvoicePayment>> {
  const rows = await work.find('invoice_payment', { body: { invoice }, limit: 100 });
  return { object: 'list', data: rows.map((row) => row.body), has_more: false, url: '/v1/invoice_payments' };
}
