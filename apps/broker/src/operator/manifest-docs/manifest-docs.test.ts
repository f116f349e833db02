import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { temporaryRoot } from '#testing/databases/databases.ts';
import { manifestDocs } from './manifest-docs.ts';
import { exampleEnvironment } from './manifest-examples.ts';
import { runCli } from '#operator/cli/run-cli.ts';

const page = join(import.meta.dirname, '../../../../../docs/manifests.md');

test('docs/manifests.md is current: npm run manifest-docs writes it', async () => {
  expect(await readFile(page, 'utf8')).toBe(manifestDocs());
});

test('every example of docs/manifests.md passes `manifest check`', async () => {
  const folder = await mkdtemp(join(temporaryRoot(), 'examples-'));
  try {
    const examples = [...(await readFile(page, 'utf8')).matchAll(/^```json\n([\s\S]*?)^```$/gm)].map(
      ([, json]) => json ?? '',
    );
    const files = examples.map((_, index) => join(folder, `${index}.json`));
    await Promise.all(files.map((file, index) => writeFile(file, examples[index] ?? '')));
    const out: string[] = [];
    const code = await runCli(['manifest', 'check', ...files], {
      environment: { DATA_DIR: folder, ...exampleEnvironment },
      stdout: (line) => out.push(line),
      // says that no broker was asked
      stderr: () => {},
    });
    expect({ code, out }).toEqual({ code: 0, out: out.filter((line) => line.includes('no problem')) });
    expect(out).toHaveLength(9);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
});
