import type { Invoice } from './types.ts';

/** Lines that are answered with their invoice. */
const first = 10;

/** An invoice as it is answered: the rest of many lines is asked for by itself. */
export function withFirstLines(invoice: Invoice): Invoice {
  const data = invoice.lines.data.slice(0, first);
  return { ...invoice, lines: { ...invoice.lines, data, has_more: data.length < invoice.lines.data.length } };
}
