/** Text with emphasis, code and links. Images are shown as links, and HTML as text. */
export type Inline =
  | { kind: 'text' | 'strong' | 'em' | 'code'; text: string }
  | { kind: 'link'; text: string; url: string };

export type Block =
  | { kind: 'heading' | 'paragraph' | 'quote'; content: Inline[] }
  | { kind: 'list'; ordered: boolean; items: Inline[][] }
  | { kind: 'code'; text: string }
  | { kind: 'table'; head: Inline[][]; rows: Inline[][][] }
  | { kind: 'rule' };

/** Longer texts are shown unformatted. */
export const maxMarkdownCharacters = 50_000;

/**
 * Parses the Markdown that tools write: headings, lists of one level, quotes, fenced code, tables, emphasis, links.
 * Reads each line once and looks for marks within it, so the time is linear in the text.
 */
export function parseMarkdown(text: string): Block[] {
  const lines = text.replaceAll('\r\n', '\n').split('\n');
  const blocks: Block[] = [];
  let paragraph: string[] = [];
  const flush = () => {
    if (paragraph.length > 0) blocks.push({ kind: 'paragraph', content: parseInline(paragraph.join('\n')) });
    paragraph = [];
  };
  for (let at = 0; at < lines.length; at++) {
    const line = lines[at] ?? '';
    const trimmed = line.trim();
    if (trimmed.startsWith('```')) {
      flush();
      let last = at + 1;
      while (last < lines.length && !lines[last]?.trim().startsWith('```')) last++;
      blocks.push({ kind: 'code', text: lines.slice(at + 1, last).join('\n') });
      at = last;
      continue;
    }
    if (trimmed === '') {
      flush();
      continue;
    }
    const heading = /^#{1,6} (.*)$/.exec(trimmed);
    if (heading) {
      flush();
      blocks.push({ kind: 'heading', content: parseInline(heading[1] ?? '') });
      continue;
    }
    if (/^(-{3,}|\*{3,}|_{3,})$/.test(trimmed)) {
      flush();
      blocks.push({ kind: 'rule' });
      continue;
    }
    if (trimmed.startsWith('> ')) {
      flush();
      blocks.push({ kind: 'quote', content: parseInline(trimmed.slice(2)) });
      continue;
    }
    const item = /^(?:[-*+]|(\d{1,9})[.)]) (.*)$/.exec(trimmed);
    if (item) {
      flush();
      const ordered = item[1] !== undefined;
      const content = parseInline(item[2] ?? '');
      const before = blocks.at(-1);
      if (before?.kind === 'list' && before.ordered === ordered) before.items.push(content);
      else blocks.push({ kind: 'list', ordered, items: [content] });
      continue;
    }
    if (trimmed.startsWith('|') && isDelimiter(lines[at + 1])) {
      flush();
      const rows: Inline[][][] = [];
      let next = at + 2;
      while (lines[next]?.trim().startsWith('|')) rows.push(cellsOf(lines[next++] ?? ''));
      blocks.push({ kind: 'table', head: cellsOf(trimmed), rows });
      at = next - 1;
      continue;
    }
    paragraph.push(line);
  }
  flush();
  return blocks;
}

function isDelimiter(line: string | undefined): boolean {
  const cells = line?.trim();
  return cells !== undefined && cells.startsWith('|') && cells.includes('-') && /^[|:\- ]+$/.test(cells);
}

function cellsOf(line: string): Inline[][] {
  const inner = line.trim().replace(/^\|/, '').replace(/\|$/, '');
  return inner.split('|').map((cell) => parseInline(cell.trim()));
}

/** The longest distance between a mark and its end. */
const maxSpan = 1000;

/** The start of code, emphasis, a link or image, or an address. */
const marks = /[`*_[!]|https?:\/\//g;

export function parseInline(text: string): Inline[] {
  const parts: Inline[] = [];
  let plainFrom = 0;
  let mark: RegExpExecArray | null;
  marks.lastIndex = 0;
  while ((mark = marks.exec(text))) {
    const at = mark.index;
    const found = spanAt(text, at);
    if (!found) continue;
    if (at > plainFrom) parts.push({ kind: 'text', text: text.slice(plainFrom, at) });
    parts.push(found.inline);
    plainFrom = found.end;
    marks.lastIndex = found.end;
  }
  if (plainFrom < text.length) parts.push({ kind: 'text', text: text.slice(plainFrom) });
  return parts;
}

type Span = { inline: Inline; end: number };

function spanAt(text: string, at: number): Span | undefined {
  const rest = text.slice(at, at + maxSpan);
  switch (rest[0]) {
    case '`':
      return wrapped(rest, at, '`', 'code');
    case '*':
      return rest.startsWith('**') ? wrapped(rest, at, '**', 'strong') : wrapped(rest, at, '*', 'em');
    case '_':
      // within a word it is part of a name
      if (/\w/.test(text[at - 1] ?? '')) return undefined;
      return rest.startsWith('__') ? wrapped(rest, at, '__', 'strong') : wrapped(rest, at, '_', 'em');
    case '!':
      return rest[1] === '[' ? link(rest.slice(1), at + 1) : undefined;
    case '[':
      return link(rest, at);
    default: {
      const url = /^https?:\/\/[^\s<>"')\]]{1,1000}/.exec(rest)?.[0].replace(/[.,;:!?]{1,3}$/, '');
      return url === undefined ? undefined : { inline: { kind: 'link', text: url, url }, end: at + url.length };
    }
  }
}

function wrapped(rest: string, at: number, mark: string, kind: 'code' | 'strong' | 'em'): Span | undefined {
  const end = rest.indexOf(mark, mark.length);
  const inner = end === -1 ? '' : rest.slice(mark.length, end);
  if (inner.trim() === '' || (kind !== 'code' && inner !== inner.trim())) return undefined;
  return { inline: { kind, text: inner }, end: at + end + mark.length };
}

function link(rest: string, at: number): Span | undefined {
  const middle = rest.indexOf('](');
  const end = middle === -1 ? -1 : rest.indexOf(')', middle);
  if (end === -1) return undefined;
  const [url = ''] = rest.slice(middle + 2, end).split(' ', 1);
  return { inline: { kind: 'link', text: rest.slice(1, middle) || url, url }, end: at + end + 1 };
}
