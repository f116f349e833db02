import type { Invoice } from './types.ts';

/** Lines returned within an invoice. */
const first = 10;

/** Returns an invoice with its first lines; further lines have their own endpoint. */
export function withFirstLines(invoice: Invoice): Invoice {
  const data = invoice.lines.data.slice(0, first);
  return { ...invoice, lines: { ...invoice.lines, data, has_more: data.length < invoice.lines.data.length } };
}
