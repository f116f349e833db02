import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseSync } from 'oxc-parser';
import { expect, test } from 'vitest';

// Names and texts of users and servers may be in any script: an element that contains nothing else takes its direction
// from them.

const root = join(import.meta.dirname, '..');
/** Fields of responses whose texts users, servers or administrators wrote. */
const foreign = new Set(['displayName', 'displayDescription', 'description', 'reason', 'serverName', 'toolName']);

type Node = Record<string, unknown> & { type: string; start: number };
type Named = { name?: string };

function undirected(file: string, code: string): string[] {
  const found: string[] = [];
  const visit = (node: unknown): void => {
    if (typeof node !== 'object' || node === null) return;
    if (Array.isArray(node)) return node.forEach(visit);
    if (isUndirected(node as Node)) found.push(`${file}:${code.slice(0, (node as Node).start).split('\n').length}`);
    Object.values(node).forEach(visit);
  };
  visit(parseSync(file, code).program);
  return found;
}

function isUndirected(node: Node): boolean {
  if (node.type !== 'JSXElement') return false;
  const { name, attributes } = node['openingElement'] as { name: Named; attributes: { name?: Named }[] };
  // bdi does so automatically; Fact is a component that does it for its text
  if (name.name === 'bdi' || name.name === 'Fact') return false;
  const children = node['children'] as (Node & { value?: string })[];
  const [child, ...others] = children.filter(({ type, value }) => type !== 'JSXText' || value?.trim() !== '');
  if (child?.type !== 'JSXExpressionContainer' || others.length > 0) return false;
  const { type, name: variable, property } = child['expression'] as Node & { name?: string; property?: Named };
  const field = type === 'Identifier' ? variable : property?.name;
  return foreign.has(field ?? '') && attributes.every((attribute) => attribute.name?.name !== 'dir');
}

test('an element with a text of users or servers takes its direction from the text', () => {
  expect(undirected('a.tsx', '<p className="x">{server.displayName}</p>')).toEqual(['a.tsx:1']);
  expect(undirected('a.tsx', '<div>\n<p>\n{description}\n</p></div>')).toEqual(['a.tsx:2']);
  expect(undirected('a.tsx', '<p dir="auto">{description}</p>')).toEqual([]);
  expect(undirected('a.tsx', '<p>Why: <bdi>{reason}</bdi></p>')).toEqual([]);
  const files = globSync('apps/web/src/**/*.tsx', { cwd: root });
  expect(files.length).toBeGreaterThan(300);
  expect(files.flatMap((file) => undirected(file, readFileSync(join(root, file), 'utf8')))).toEqual([]);
});
