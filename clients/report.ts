import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { columns, type Cell } from './columns.ts';
import type { DatedRow, Results } from './results.ts';
import { sentElsewhere } from './sent-elsewhere.ts';

const root = join(import.meta.dirname, '..');
export const reportFiles = ['docs/clients-results.md', 'docs/clients.md'].map((file) => join(root, file));

const begin = '<!-- written by npm run clients -->';
const end = '<!-- end of npm run clients -->';

const ways: Record<string, [title: string, text: string]> = {
  default: ['With the link alone', 'The product as `npm start` starts it.'],
  'documents unreachable': [
    'Metadata documents out of reach',
    '`npm run clients -- --documents unreachable`: the broker offers metadata documents to clients, and the proxy through which it would fetch one answers 403.',
  ],
  slash: [
    'With a slash behind the link',
    '`npm run clients -- --slash`: clients are given the link with a slash behind it, as some users paste it.',
  ],
  'two brokers': [
    'Two brokers in turn',
    '`npm run clients -- --brokers 2`: requests go to two brokers in turn, which share PostgreSQL.',
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
  const sections = Object.entries(ways).flatMap(([way, [title, text]]) => {
    const rows = results[way] ?? [];
    return rows.length === 0 ? [] : [`## ${title}`, text, table(rows), footnotes(rows)];
  });
  return `${[
    '# Clients',
    'Written by `npm run clients`, which installs real clients, starts the product and uses each client as a user would, without a network: a script answers in place of the model, and a scripted browser signs in. Do not edit by hand.',
    columns.map(([column, meaning]) => `- **${column}**: ${meaning}.`).join('\n'),
    '"–" means that the client has no such feature. A fault that is the client\'s own has a link to its thread.',
    ...sections,
    '## Sign-ins of other clients',
    'Redirect addresses and scopes of clients that do not run here, or not in this way, from public sources as of 2026-11-25. Clients that ask for no scope of the link are offered all of them at the consent. A registration keeps the allowed redirect addresses, and its answer names the others in `refused_redirect_uris`. The allowed schemes of applications, beside reversed domain names, are in redirect-uri.ts.',
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
  const head = ['client', 'redirect addresses', 'scopes', 'here', 'sources'];
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
  if (cell.state === 'fault') return `[its fault](${cell.thread})`;
  if (cell.state === 'none') return '–';
  return cell.state === 'failed' ? '**failed**' : cell.state;
}
