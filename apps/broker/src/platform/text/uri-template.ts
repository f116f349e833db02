/** Limits of matching, since both sides come from outside. */
const maxVariables = 8;
const maxCharacters = 2048;

/** A part of a template: literal text, or a value of one or more characters that are not excluded. */
type Part = Text | { excluded: string; lead: Text | undefined; isOptional: boolean };
/** Literal text with its search table. */
type Text = { text: string; fallback: Uint16Array };

/** A parsed template, to be matched against many addresses. */
export type UriTemplate = {
  /** The common beginning of all its addresses. */
  readonly beginning: string;
  matches(address: string): boolean;
};

type Expression = { lead: string; excluded: string; ofSeveral: string; isOptional: boolean };

/** How values are expanded (RFC 6570, section 3.2): without an operator, and by operator. */
const simple: Expression = { lead: '', excluded: '/,', ofSeveral: '/', isOptional: false };
const byOperator: ReadonlyMap<string, Expression> = new Map(
  Object.entries({
    '+': { lead: '', excluded: '', ofSeveral: '', isOptional: false },
    '#': { lead: '#', excluded: '', ofSeveral: '', isOptional: false },
    '.': { lead: '.', excluded: '/,', ofSeveral: '/', isOptional: false },
    '/': { lead: '/', excluded: '/,', ofSeveral: '', isOptional: false },
    ';': { lead: ';', excluded: '/', ofSeveral: '/', isOptional: false },
    '?': { lead: '?', excluded: '#', ofSeveral: '#', isOptional: true },
    '&': { lead: '&', excluded: '#', ofSeveral: '#', isOptional: true },
  }),
);

/**
 * Parses a URI template (RFC 6570). Matching takes time linear in the address for each part of the template, without
 * backtracking. Every variable of a path needs a value; a query may be left out. An invalid template, one longer than 2 KiB
 * or with more than eight variables matches nothing.
 */
export function readUriTemplate(template: string): UriTemplate {
  const parts = template.length > maxCharacters ? undefined : parseTemplate(template);
  const [first] = parts ?? [];
  const beginning = first && 'text' in first ? first.text : '';
  const shortest = (parts ?? []).reduce((length, part) => length + shortestOf(part), 0);
  return {
    beginning,
    matches: (address) =>
      parts !== undefined &&
      address.length >= shortest &&
      address.length <= maxCharacters &&
      address.startsWith(beginning) &&
      matchesParts(parts, address),
  };
}

function shortestOf(part: Part): number {
  if ('text' in part) return part.text.length;
  return part.isOptional ? 0 : (part.lead?.text.length ?? 0) + 1;
}

function matchesParts(parts: readonly Part[], address: string): boolean {
  // ends[i]: the parts so far can match the first i characters
  let ends = new Uint8Array(address.length + 1);
  ends[0] = 1;
  for (const part of parts) ends = 'text' in part ? afterText(part, address, ends) : afterValue(part, address, ends);
  return ends[address.length] === 1;
}

function parseTemplate(template: string): Part[] | undefined {
  const parts: Part[] = [];
  let variables = 0;
  let at = 0;
  while (at < template.length) {
    const open = template.indexOf('{', at);
    if (open === -1) break;
    const close = template.indexOf('}', open);
    if (close === -1) return undefined;
    if (open > at) parts.push(textOf(template.slice(at, open)));
    const inside = template.slice(open + 1, close);
    const expression = byOperator.get(inside.slice(0, 1));
    const names = (expression ? inside.slice(1) : inside).split(',');
    variables += names.length;
    if (variables > maxVariables || names.includes('')) return undefined;
    parts.push(valueOf(expression ?? simple, names.length > 1 || inside.endsWith('*')));
    at = close + 1;
  }
  if (at < template.length) parts.push(textOf(template.slice(at)));
  return parts;
}

function textOf(text: string): Text {
  return { text, fallback: fallbackOf(text) };
}

function valueOf({ lead, excluded, ofSeveral, isOptional }: Expression, isSeveral: boolean): Part {
  return { lead: lead === '' ? undefined : textOf(lead), excluded: isSeveral ? ofSeveral : excluded, isOptional };
}

/** Returns the ends of `text` in the address, for those that begin at one of `starts`. */
function afterText({ text, fallback }: Text, address: string, starts: Uint8Array): Uint8Array<ArrayBuffer> {
  const ends = new Uint8Array(starts.length);
  let matched = 0;
  for (let at = 0; at < address.length; at++) {
    while (matched > 0 && (matched === text.length || address[at] !== text[matched]))
      matched = fallback[matched - 1] ?? 0;
    if (address[at] === text[matched]) matched++;
    if (matched === text.length && starts[at + 1 - text.length] === 1) ends[at + 1] = 1;
  }
  return ends;
}

/** Returns, for each prefix of a word, the length of its longest suffix that is also a prefix (Knuth, Morris, Pratt). */
function fallbackOf(word: string): Uint16Array {
  const fallback = new Uint16Array(word.length);
  let matched = 0;
  for (let at = 1; at < word.length; at++) {
    while (matched > 0 && word[at] !== word[matched]) matched = fallback[matched - 1] ?? 0;
    if (word[at] === word[matched]) matched++;
    fallback[at] = matched;
  }
  return fallback;
}

function afterValue(
  { lead, excluded, isOptional }: Exclude<Part, Text>,
  address: string,
  starts: Uint8Array,
): Uint8Array<ArrayBuffer> {
  const ends = new Uint8Array(starts.length);
  const begins = lead === undefined ? starts : afterText(lead, address, starts);
  let isInside = false;
  for (let at = 0; at < address.length; at++) {
    isInside = (isInside || begins[at] === 1) && !excluded.includes(address[at] ?? '');
    if (isInside) ends[at + 1] = 1;
  }
  if (isOptional) for (let at = 0; at < ends.length; at++) ends[at] = (ends[at] ?? 0) | (starts[at] ?? 0);
  return ends;
}
