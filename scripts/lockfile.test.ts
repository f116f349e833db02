import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { z } from 'zod';

const names = z.record(z.string(), z.string()).default({});
const lockfile = z.object({
  packages: z.record(
    z.string(),
    z.object({
      resolved: z.string().optional(),
      link: z.boolean().default(false),
      dependencies: names,
      optionalDependencies: names,
    }),
  ),
});
const { packages } = lockfile.parse(
  JSON.parse(readFileSync(join(import.meta.dirname, '../package-lock.json'), 'utf8')),
);

/** Yields the folders in which a package in `folder` finds its dependencies, the nearest first. */
function* modulesAbove(folder: string): Generator<string> {
  const parts = folder === '' ? [] : folder.split('/');
  for (let length = parts.length; length >= 0; length--) {
    if (parts[length - 1] !== 'node_modules') yield [...parts.slice(0, length), 'node_modules'].join('/');
  }
}

test('npm ci accepts the lockfile, which has every package, even those for other platforms', () => {
  const missing = Object.entries(packages).flatMap(([folder, { dependencies, optionalDependencies }]) =>
    Object.keys({ ...dependencies, ...optionalDependencies })
      .filter((name) => ![...modulesAbove(folder)].some((modules) => packages[`${modules}/${name}`]))
      .map((name) => `${name} of ${folder}`),
  );
  expect(missing).toEqual([]);
});

test('the lockfile names no registry', () => {
  const addresses = Object.values(packages).flatMap(({ resolved = '', link }) =>
    link || resolved === '' ? [] : resolved,
  );
  expect(addresses).toEqual([]);
});
