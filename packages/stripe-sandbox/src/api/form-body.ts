import { badRequest } from './stripe-error.ts';

export type FormValue = string | FormValue[] | { [key: string]: FormValue };
type Branch = Map<string, string | Branch>;

const maxFields = 500;
const maxDepth = 6;

/**
 * Parses `a=1&b[c]=2&d[0]=3&e[]=4`, Stripe's format of parameters.
 * @throws StripeError
 */
export function parseForm(text: string): Record<string, FormValue> {
  const root: Branch = new Map();
  let fields = 0;
  for (const [name, value] of new URLSearchParams(text)) {
    // PostgreSQL cannot store NUL
    if (name.includes('\0') || value.includes('\0')) throw badRequest('Parameters must not contain NUL.');
    if (++fields > maxFields) throw badRequest(`More than ${maxFields} parameters.`);
    put(root, toPath(name), value, name);
  }
  return toObject(root);
}

/** Splits `a[b][]` into a, b and the empty text. */
function toPath(name: string): string[] {
  const open = name.indexOf('[');
  if (open <= 0) return [name];
  const inner = name.slice(open);
  if (!inner.endsWith(']')) throw badRequest(`Invalid parameter name: ${name}`);
  return [name.slice(0, open), ...inner.slice(1, -1).split('][')];
}

function put(root: Branch, path: readonly string[], value: string, name: string): void {
  if (path.length > maxDepth) throw badRequest(`Invalid parameter name: ${name}`);
  let branch = root;
  for (const key of path.slice(0, -1)) {
    const next = branch.get(key) ?? new Map<string, string | Branch>();
    if (typeof next === 'string') throw badRequest(`Invalid parameter name: ${name}`);
    branch.set(key, next);
    branch = next;
  }
  const last = path.at(-1) ?? '';
  // repeating `a[]` appends
  branch.set(last === '' ? String(branch.size) : last, value);
}

function toObject(branch: Branch): Record<string, FormValue> {
  const entries = [...branch].map(([key, value]) => [key, typeof value === 'string' ? value : toValue(value)] as const);
  // fromEntries defines own properties, which makes a name such as __proto__ harmless
  return Object.fromEntries(entries);
}

function toValue(branch: Branch): FormValue {
  const object = toObject(branch);
  return [...branch.keys()].every((key, index) => key === String(index)) ? Object.values(object) : object;
}
