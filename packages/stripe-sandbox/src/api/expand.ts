import type { Work } from '../work.ts';
import { withFirstLines } from '../objects/first-lines.ts';
import type { Invoice } from '../objects/types.ts';
import { listInvoicePayments } from '../money/invoices/invoice-payments.ts';
import { badRequest } from './stripe-error.ts';

const maxDepth = 4;

type Node = Record<string, unknown>;

/**
 * Replaces ids with their objects. `data.` enters a list.
 * @throws StripeError for a field that is not an id
 */
export async function expand(work: Work, answer: object, paths: readonly string[]): Promise<object> {
  if (paths.length === 0) return answer;
  const copy: Node = structuredClone(answer) as Node;
  for (const path of paths) {
    const parts = path.split('.');
    if (parts.length > maxDepth) throw badRequest(`You cannot expand more than ${maxDepth} levels of a property.`);
    await expandPath(work, [copy], parts, path);
  }
  return copy;
}

async function expandPath(work: Work, nodes: Node[], [first, ...rest]: string[], path: string): Promise<void> {
  if (first === undefined || nodes.length === 0) return;
  const next: Node[] = [];
  for (const node of nodes) {
    if (node['object'] === 'list' && first === 'data') {
      next.push(...(Array.isArray(node['data']) ? node['data'] : []));
      continue;
    }
    const value = await valueOf(work, node, first, path);
    if (value !== undefined) {
      node[first] = value;
      next.push(value);
    }
  }
  await expandPath(work, next, rest, path);
}

async function valueOf(work: Work, node: Node, name: string, path: string): Promise<Node | undefined> {
  const included = await includable(work, node, name);
  if (included) return structuredClone(included) as Node;
  const value = node[name];
  if (typeof value === 'object' && value !== null) return value as Node;
  if (value === null) return undefined;
  const found = typeof value === 'string' ? await work.getAny(value) : undefined;
  if (!found) throw badRequest(`This property cannot be expanded (${path}).`, { param: 'expand' });
  return structuredClone(isInvoice(found) ? withFirstLines(found) : found) as Node;
}

const isInvoice = (found: object): found is Invoice => 'object' in found && found.object === 'invoice';

/** Returns a list that its object includes only on request. */
async function includable(work: Work, node: Node, name: string): Promise<object | undefined> {
  const id = String(node['id']);
  if (node['object'] === 'checkout.session' && name === 'line_items') {
    const session = await work.need('checkout.session', id);
    return {
      object: 'list',
      data: session.memory.items,
      has_more: false,
      url: `/v1/checkout/sessions/${id}/line_items`,
    };
  }
  if (node['object'] === 'invoice' && name === 'payments') return listInvoicePayments(work, id);
  return undefined;
}
