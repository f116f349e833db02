import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commitOf } from '../commit-of.ts';
import { describeMachine } from '../machine.ts';

const root = join(import.meta.dirname, '../..');
const pageName = 'docs/performance.md';

/** Sections of the page in order, each with its benchmark. */
const sections = {
  Calls: 'gateway',
  Credits: 'ledger',
  Memory: 'memory',
  Servers: 'servers',
  Administration: 'administration',
} as const;
export type Section = keyof typeof sections;

const intro = `# Performance

Each section is the result of one command, which writes the section with \`--write\`. The figures depend on the machine, so compare
ratios, and run the command on yours. [The most expensive request of each endpoint](endpoints.md) is a separate page.
`;

/** Writes the results of a benchmark into its section of docs/performance.md, with the machine, the date and the commit. */
export function writePerformance(section: Section, command: string, text: string): void {
  const { node, platform, cpu, cores } = describeMachine();
  const day = new Date().toISOString().slice(0, 10);
  const commit = commitOf(root, [pageName]);
  const measured = `Measured by \`${command}\` on ${cores} cores (${cpu}), ${platform}, Node ${node.slice(1)}, on ${day} at ${commit}.`;
  const file = join(root, pageName);
  const page = existsSync(file) ? readFileSync(file, 'utf8') : '';
  writeFileSync(file, performancePage(page, section, `${text.trim()}\n\n${measured}`));
}

/** @returns the page with one section replaced */
export function performancePage(page: string, section: Section, text: string): string {
  const texts = new Map(
    page
      .split('\n## ')
      .slice(1)
      .map((part): [string, string] => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n')).trim()]),
  ).set(section, text);
  const parts = Object.entries(sections).map(
    ([name, bench]) =>
      `## ${name}\n\n${texts.get(name) ?? `Not measured yet: \`npm run bench -- ${bench} --write\`.`}\n`,
  );
  return [intro, ...parts].join('\n');
}
