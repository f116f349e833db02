import MarkdownIt, { type Token } from 'markdown-it';

/** A block, a mark such as emphasis, or plain text, with what is in it. */
export type Part = {
  /** The type of the token, without `_open`. */
  kind: string;
  token: Token;
  parts: Part[];
};

/** Marks and lists within each other. Deeper ones are dropped, and their content stays. */
const maxDepth = 20;
/** Elements that a text may become. Further parts are left out. */
const maxElements = 10_000;
/** A block of code has a frame and a button. */
const elementsOfCode = 25;

// HTML is text, and only a whole address becomes a link by itself
const parser = new MarkdownIt({ html: false, linkify: true });
parser.linkify.set({ fuzzyLink: false, fuzzyEmail: false });
// web-address.ts decides, where an address becomes a link
parser.validateLink = () => true;

/** Parses a text that a tool or an operator wrote. Hostile texts take linear time and become a bounded number of parts. */
export function parseMarkdown(text: string): { parts: Part[]; isCut: boolean } {
  const budget = { left: maxElements };
  const parts = nest(parser.parse(text, {}), budget);
  return { parts, isCut: budget.left < 0 };
}

/** Turns the parser's list of opening and closing tokens into a tree. */
function nest(tokens: readonly Token[], budget: { left: number }): Part[] {
  const parts: Part[] = [];
  const open = [parts];
  for (const token of tokens) {
    if (token.nesting === -1) {
      open.pop();
      continue;
    }
    budget.left -= token.type === 'fence' || token.type === 'code_block' ? elementsOfCode : 1;
    if (budget.left < 0) break;
    const into = open.at(-1) ?? parts;
    const children = token.children ? nest(token.children, budget) : [];
    if (token.type === 'inline') {
      into.push(...children);
      continue;
    }
    // the paragraph of a short list item is hidden
    const isKept = token.nesting === 0 || (!token.hidden && open.length <= maxDepth);
    const part = { kind: token.type.replace(/_open$/, ''), token, parts: children };
    if (isKept) into.push(part);
    if (token.nesting === 1) open.push(isKept ? part.parts : into);
  }
  return parts;
}

/** Returns the text of parts without their marks. */
export function textOf(parts: readonly Part[]): string {
  return parts
    .map(({ kind, token, parts: inner }) => (kind.endsWith('break') ? ' ' : textOf(inner) || token.content))
    .join('');
}
