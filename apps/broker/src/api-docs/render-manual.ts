import MarkdownIt from 'markdown-it';

const parser = new MarkdownIt({ html: false });
parser.renderer.rules['table_open'] = () => '<div class="table" tabindex="0"><table>';
parser.renderer.rules['table_close'] = () => '</table></div>';

/** Renders a generated page of docs/ as HTML. Headings have ids, and the first cell of a row is its header. */
export function renderManual(markdown: string): string {
  const tokens = parser.parse(markdown.replaceAll(/^<!--.*-->$/gm, ''), {});
  for (const [at, token] of tokens.entries()) {
    const next = tokens[at + 1];
    if (token.type === 'heading_open') token.attrSet('id', idOf(next?.content ?? ''));
    // no class that names the language of code
    if (token.type === 'fence') token.info = '';
    if (token.type === 'th_open') token.attrSet('scope', 'col');
    if (token.type !== 'tr_open' || next?.type !== 'td_open') continue;
    next.attrSet('scope', 'row');
    // the cell is an opening token, its content and a closing one
    for (const cell of [next, tokens[at + 3]]) if (cell) cell.tag = 'th';
  }
  return parser.renderer.render(tokens, parser.options, {});
}

const idOf = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
