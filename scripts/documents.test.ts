import { existsSync, globSync, readFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { runCli } from '../apps/broker/src/operator/cli/run-cli.ts';
import { variableNames } from '../apps/broker/src/platform/config/environment.ts';

const root = join(import.meta.dirname, '..');
/** Pages that a command writes: separate tests compare them with its output. */
const written = new Set(
  ['api', 'cli', 'clients-results', 'endpoints', 'manifests', 'reliability'].map((name) => `docs/${name}.md`),
);
const pages = globSync(
  '{README,CONTRIBUTING,SECURITY,CHANGELOG,docs/*,docs/deploy/*,docs/runbook/*,docs/tutorials/*}.md',
  {
    cwd: root,
  },
).filter((file) => !written.has(file));
const read = (file: string) => readFileSync(join(root, file), 'utf8');

/** Variables of Node, of npm, of the tests and of programs in examples, and placeholders. */
const foreign = new Set([
  'API_TOKEN',
  'CERT_HAS_EXPIRED',
  'EAI_AGAIN',
  'NAME_FILE',
  'NODE_EXTRA_CA_CERTS',
  'NPM_CONFIG_REGISTRY',
  'TEST_DATABASE_URL',
  'TICKETS_API_TOKEN',
  'TICKETS_SITE',
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'WRITE_RELEASE_SHOP',
]);

async function helpOf(command: string): Promise<string> {
  const lines: string[] = [];
  const print = (line: string) => void lines.push(line);
  const code = await runCli([...command.split(' '), '--help'], { environment: {}, stdout: print, stderr: print });
  return code === 0 ? lines.join('\n') : '';
}

test('each operator command that a page names exists, with its options', async () => {
  const wrong: string[] = [];
  let count = 0;
  for (const file of pages) {
    for (const [, line = ''] of read(file).matchAll(/(?:npm run (?:-s )?souk --|souk\.ts) ([^`\n]+)/g)) {
      const [words = ''] = /^[a-z][a-z -]*/.exec(line.replace(/^--env-file \S+ /, '')) ?? [];
      const parts = words.replace(/ -.*/, '').trim().split(' ');
      const candidates = [parts.slice(0, 2).join(' '), parts[0] ?? ''];
      if (parts[0] === '') continue;
      count += 1;
      const help = (await Promise.all(candidates.map(helpOf))).find((text) => text.includes('\nUsage: '));
      const options = line.replace(/^--env-file \S+ /, '').match(/--[a-z-]+/g) ?? [];
      if (help === undefined || options.some((option) => !help.includes(option))) wrong.push(`${file}: ${line}`);
    }
  }
  expect(count).toBeGreaterThan(30);
  expect(wrong).toEqual([]);
});

test('each script that a page names exists', () => {
  const { scripts } = z.object({ scripts: z.record(z.string(), z.string()) }).parse(JSON.parse(read('package.json')));
  const named = pages.flatMap((file) =>
    [...read(file).matchAll(/npm run (?:-s )?([a-z][a-z-]*)/g)].map(([, name = '']) => ({ file, name })),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ name }) => !Object.hasOwn(scripts, name))).toEqual([]);
});

test('each variable that a page names exists', () => {
  const named = pages.flatMap((file) =>
    [...read(file).matchAll(/\b[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+\b/g)].map(([name]) => ({ file, name })),
  );
  expect(named.length).toBeGreaterThan(50);
  expect(named.filter(({ name }) => !variableNames.has(name) && !foreign.has(name))).toEqual([]);
});

test('each text that the runbook or the page of symptoms quotes is in the code', () => {
  const sources = globSync(['{apps/broker,apps/web,packages/contract}/src/**/*.{ts,tsx}', 'scripts/*.mjs'], {
    cwd: root,
  }).filter((file) => !file.includes('.test.'));
  // joins a text of several lines; a count is part of a template
  const code = sources
    .map(read)
    .join('\n')
    .replaceAll(/['`] \+\s+['`]/g, '')
    .replaceAll(/\$\{[^}]*\}/g, '…');
  const isCommand = /^(?:npm|curl|psql|df|du|openssl|journalctl|docker|kubectl|select|nginx|node|GET|POST)\b/;
  const quoted = pages
    .filter((file) => file.startsWith('docs/runbook/') || file === 'docs/troubleshooting.md')
    .flatMap((file) =>
      [
        ...read(file)
          .replaceAll(/```[^]*?```/g, '')
          .matchAll(/`([^`]+)`/g),
      ].map(([, text = '']) => text),
    )
    // the name of this variable comes from a list in the code
    .map((text) => text.replaceAll(/\s+/g, ' ').replace('MASTER_KEY_FILE:', '…_FILE:'))
    .filter((text) => text.includes(' ') && !isCommand.test(text));
  expect(quoted.length).toBeGreaterThan(80);
  const pieces = quoted.flatMap((text) => text.split('…').map((piece) => piece.trim()));
  expect(pieces.filter((piece) => piece.length > 3 && !code.includes(piece))).toEqual([]);
});

test('each decision is listed under its title', () => {
  const list = read('docs/decisions/README.md');
  const titles = globSync('docs/decisions/0*.md', { cwd: root }).map((file) => {
    const [, title = ''] = /^# (.*)$/m.exec(read(file)) ?? [];
    return `- [${title}](${basename(file)})`;
  });
  expect(titles.length).toBeGreaterThan(70);
  expect(list.match(/^- .*$/gm)?.toSorted()).toEqual(titles.toSorted());
});

test('each link of a page leads to a page, and each file that it names exists', () => {
  const wrong = pages.flatMap((file) => {
    const text = read(file);
    const links = [...text.matchAll(/\]\((?!https?:)([^)#]+)[^)]*\)/g)].map(([, to = '']) => join(dirname(file), to));
    const files = [...text.replaceAll(/\]\([^)]*\)/g, ']').matchAll(/(?<![/\w.])(?:deploy|scripts)\/[\w./-]+\w/g)].map(
      ([name]) => name,
    );
    return [
      ...links,
      ...files.filter((name) => !/^deploy\/(?:secrets\/?|souk|\.env)$/.test(name) || existsSync(join(root, name))),
    ]
      .filter((path) => !existsSync(join(root, path)))
      .map((path) => `${file}: ${path}`);
  });
  expect(wrong).toEqual([]);
});
