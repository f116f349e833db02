import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { columns, type Cell } from './columns.ts';
import type { DatedRow, Results } from './results.ts';
import { sentElsewhere } from './sent-elsewhere.ts';

const root = join(import.meta.dirname, '..');
export const reportFiles = ['docs/clients-results.md', 'docs/clients.md'].map((file) => join(root, file));

const begin = '<!-- written by npm run clients -->';
const end = '<!-- end of npm run clients -->';

const variants: Record<string, [title: string, text: string]> = {
  default: ['With the link alone', 'The product as `npm start` starts it.'],
  'documents unreachable': [
    'Unreachable metadata documents',
    '`npm run clients -- --documents unreachable`: the broker supports client metadata documents, but the proxy through which it fetches them responds with 403.',
  ],
  slash: [
    'With a trailing slash',
    '`npm run clients -- --slash`: clients get the link with a trailing slash, as some users paste it.',
  ],
  'two brokers': [
    'Two brokers',
    '`npm run clients -- --brokers 2`: requests alternate between two brokers that share PostgreSQL.',
  ],
};

/** Writes docs/clients-results.md, and the table of docs/clients.md between its marks. */
export function writeReport(results: Results): void {
  const [whole = '', howTo = ''] = reportFiles;
  writeFileSync(whole, document(results));
  const text = readFileSync(howTo, 'utf8');
  const [before, after] = [text.indexOf(begin), text.indexOf(end)];
  if (before === -1 || after < before) throw new Error('docs/clients.md has no block for the table of clients');
  writeFileSync(howTo, `${text.slice(0, before)}${begin}\n\n${short(results)}\n\n${text.slice(after)}`);
}

function document(results: Results): string {
  const sections = Object.entries(variants).flatMap(([variant, [title, text]]) => {
    const rows = results[variant] ?? [];
    return rows.length === 0 ? [] : [`## ${title}`, text, table(rows), footnotes(rows)];
  });
  return `${[
    '# Clients',
    '`npm run clients` writes this page; do not edit it by hand. It installs real clients, starts the product, and uses each client as a user would, without a network: a script replaces the model, and a scripted browser signs in.',
    columns.map(([column, meaning]) => `- **${column}**: ${meaning}.`).join('\n'),
    '"–" means that the client lacks the feature. "Client bug" links to the issue of a bug in the client.',
    ...sections,
    '## Sign-ins of other clients',
    'Redirect addresses and scopes of clients that these runs cannot use, or use in another way, from public sources as of 2026-11-25. If a client requests no scope of the link, the consent page offers all of them. A registration stores the allowed redirect addresses, and its response lists the others in `refused_redirect_uris`. redirect-uri.ts lists the application schemes that are allowed in addition to reversed domain names.',
    tableElsewhere(),
  ].join('\n\n')}\n`;
}

function table(rows: readonly DatedRow[]): string {
  const head = ['client', 'version', 'seen on', ...columns.map(([column]) => column)];
  const body = rows.map(({ label, version, date, cells }) => [
    label,
    version,
    date,
    ...columns.map(([column]) => shown(cells[column])),
  ]);
  return [head, head.map(() => '---'), ...body].map(line).join('\n');
}

function tableElsewhere(): string {
  const head = ['client', 'redirect addresses', 'requested scopes', 'result', 'sources'];
  const body = sentElsewhere.map(({ client, redirects, scopes, here, sources }) => [
    client,
    redirects,
    scopes,
    here,
    sources.map((source, index) => `[${index + 1}](${source})`).join(' '),
  ]);
  return [head, head.map(() => '---'), ...body].map(line).join('\n');
}

function footnotes(rows: readonly DatedRow[]): string {
  return rows
    .flatMap(({ label, told, cells }) => {
      const parts = columns.flatMap(([column]) => {
        const cell = cells[column];
        if (cell.note === undefined) return [];
        return `${column}: ${cell.note}${cell.state === 'fault' ? ` (<${cell.thread}>)` : ''}`;
      });
      const same = cells.connect.state === 'not run' && cells.connect.note;
      const notes = (same ? [same] : [told, ...parts]).filter((part) => part !== '');
      return notes.length === 0 ? [] : `- ${label}: ${escape(notes.join('; '))}.`;
    })
    .join('\n');
}

/** Returns a table with one line for each client: what works, and what does not. */
function short(results: Results): string {
  const rows = results['default'] ?? [];
  const body = rows.map(({ label, version, date, cells }) => {
    const not = columns.map(([column]) => column).filter((column) => !['ok', 'none'].includes(cells[column].state));
    const every = not.length === columns.length;
    const seen = not.length === 0 ? 'all ok' : every ? shown(cells.connect) : `all but ${not.join(', ')}`;
    return [label, version, date, seen];
  });
  const head = ['client', 'version', 'seen on', '[result](clients-results.md)'];
  return [head, head.map(() => '---'), ...body].map(line).join('\n');
}

const line = (cells: readonly string[]) => `| ${cells.join(' | ')} |`;
const escape = (text: string) => text.replaceAll('|', '\\|').replaceAll(/([<*_`])(?!https)/g, '\\$1');

export function shown(cell: Cell): string {
  if (cell.state === 'fault') return `[client bug](${cell.thread})`;
  if (cell.state === 'none') return '–';
  return cell.state === 'failed' ? '**failed**' : cell.state;
}
