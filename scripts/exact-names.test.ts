import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

// Playwright finds 'Save' in "Unsaved changes": tests must match a whole text, or use an expression.

const root = join(import.meta.dirname, '..');
type Node = Record<string, unknown> & { type: string; start: number };
type Property = { key?: { name?: string }; value?: Node };

function looseLookUps(file: string, code: string): string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) return node.forEach(visit);
    if (isLoose(node as Node)) found.push(`${file}:${code.slice(0, (node as Node).start).split('\n').length}`);
    Object.values(node).forEach(visit);
  };
  visit(parseSync(file, code).program);
  return found;
}

function isLoose(node: Node): boolean {
  const callee = node['callee'] as { property?: { name?: string } } | undefined;
  if (node.type !== 'CallExpression' || callee?.property?.name !== 'getByRole') return false;
  const [, options] = node['arguments'] as [unknown, { properties?: Property[] } | undefined];
  const valueOf = (name: string) => options?.properties?.find(({ key }) => key?.name === name)?.value;
  const name = valueOf('name');
  const isExpression = name !== undefined && ('regex' in name || name.type === 'NewExpression');
  return name !== undefined && !isExpression && valueOf('exact') === undefined;
}

test('a query by role and name is exact, or uses an expression', () => {
  expect(looseLookUps('a.ts', `page.getByRole('button', { name: 'Save' });`)).toEqual(['a.ts:1']);
  expect(looseLookUps('a.ts', `page.getByRole('button', {\n name });`)).toEqual(['a.ts:1']);
  expect(looseLookUps('a.ts', `page.getByRole('button', { name: 'Save', exact: true }).getByRole('link');`)).toEqual(
    [],
  );
  expect(looseLookUps('a.ts', `page.getByRole('button', { name: /^Save/ });`)).toEqual([]);
  const loose = globSync('e2e/**/*.ts', { cwd: root }).flatMap((file) =>
    looseLookUps(file, readFileSync(join(root, file), 'utf8')),
  );
  expect(loose).toEqual([]);
});
