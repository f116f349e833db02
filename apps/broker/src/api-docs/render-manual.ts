import { escapeHtml } from '#platform/http/answers/page.ts';

/**
 * Renders a generated page of docs/ as HTML. Supports only the Markdown of these pages: headings, paragraphs, lists, tables
 * and code blocks; within lines only code and bold.
 */
export function renderManual(markdown: string): string {
  const blocks = markdown
    .replaceAll(/^<!--.*-->$/gm, '')
    .split(/\n{2,}/)
    .map((block) => block.trim());
  return joinCode(blocks.filter((block) => block !== ''))
    .map(renderBlock)
    .join('\n');
}

/** Rejoins code blocks that contain empty lines. */
function joinCode(blocks: readonly string[]): string[] {
  const joined: string[] = [];
  for (const block of blocks) {
    const last = joined.at(-1);
    if (last !== undefined && last.startsWith('```') && !last.slice(3).includes('```')) {
      joined[joined.length - 1] = `${last}\n\n${block}`;
    } else joined.push(block);
  }
  return joined;
}

function renderBlock(block: string): string {
  const lines = block.split('\n');
  const [first = ''] = lines;
  const heading = /^(#{1,3}) (.*)$/.exec(first);
  if (heading) {
    const [, marks = '', text = ''] = heading;
    return `<h${marks.length} id="${idOf(text)}">${renderLine(text)}</h${marks.length}>`;
  }
  if (first.startsWith('```')) return `<pre><code>${lines.slice(1, -1).map(escapeHtml).join('\n')}</code></pre>`;
  if (first.startsWith('| ')) return renderTable(lines);
  if (first.startsWith('- '))
    return `<ul>${lines.map((line) => `<li>${renderLine(line.slice(2))}</li>`).join('')}</ul>`;
  return `<p>${renderLine(lines.join(' '))}</p>`;
}

function renderTable([head = '', , ...rows]: readonly string[]): string {
  // a bar inside a cell is written \|
  const cellsOf = (row: string) =>
    row
      .slice(1, -1)
      .split(/(?<!\\)\|/)
      .map((cell) => renderLine(cell.trim().replaceAll('\\|', '|')));
  const headers = cellsOf(head).map((cell) => `<th scope="col">${cell}</th>`);
  const body = rows.map((row) => {
    const [name = '', ...cells] = cellsOf(row);
    return `<tr><th scope="row">${name}</th>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`;
  });
  return `<div class="table" tabindex="0"><table><thead><tr>${headers.join('')}</tr></thead><tbody>${body.join('')}</tbody></table></div>`;
}

/** Splits off code first, since nothing in it is bold. */
function renderLine(line: string): string {
  return line
    .split('`')
    .map((part, index) =>
      index % 2 === 1
        ? `<code>${escapeHtml(part)}</code>`
        : part
            .split('**')
            .map((text, at) => (at % 2 === 1 ? `<strong>${escapeHtml(text)}</strong>` : escapeHtml(text)))
            .join(''),
    )
    .join('');
}

const idOf = (text: string) => text.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
