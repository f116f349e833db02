import type { Page } from '@playwright/test';

/** Node of the browser's accessibility tree, which a screen reader reads in order. */
export type ReadNode = { role: string; name: string; level: number | undefined; backendId: number | undefined };

type Answer = Awaited<ReturnType<typeof askForTree>>;
type AxNode = Answer['nodes'][number];

const askForTree = async (page: Page) => {
  const session = await page.context().newCDPSession(page);
  const answer = await session.send('Accessibility.getFullAXTree');
  await session.detach();
  return answer;
};

/** Returns everything that a screen reader reads on the page, in order, without hidden elements. */
export async function readTree(page: Page): Promise<ReadNode[]> {
  const { nodes } = await askForTree(page);
  const byId = new Map(nodes.map((node) => [node.nodeId, node]));
  const read: ReadNode[] = [];
  const visit = (node: AxNode | undefined): void => {
    if (!node) return;
    if (!node.ignored) read.push(present(node));
    for (const id of node.childIds ?? []) visit(byId.get(id));
  };
  visit(nodes[0]);
  return read;
}

function present({ role, name, properties, backendDOMNodeId }: AxNode): ReadNode {
  const level = properties?.find((property) => String(property.name) === 'level')?.value.value;
  return {
    role: String(role?.value ?? ''),
    name: String(name?.value ?? '').trim(),
    level: typeof level === 'number' ? level : undefined,
    backendId: backendDOMNodeId,
  };
}

/** Returns the faults of the headings: there must be one of level 1, and no level is skipped on the way down. */
export function headingFaults(nodes: readonly ReadNode[]): string[] {
  const headings = nodes.filter(({ role }) => role === 'heading');
  const first = headings.filter(({ level }) => level === 1).length;
  const jumps = headings.flatMap(({ level = 0, name }, index) => {
    const before = headings[index - 1]?.level ?? 0;
    return level > before + 1 ? [`level ${level} after ${before}: ${name}`] : [];
  });
  const unnamed = headings.filter(({ name }) => name === '').map(({ level }) => `a heading of level ${level} is empty`);
  return [...(first === 1 ? [] : [`${first} headings of level 1`]), ...jumps, ...unnamed];
}

const controls = new Set(
  (
    'button checkbox combobox link listbox menuitem option radio searchbox slider spinbutton switch tab textbox ' +
    'DisclosureTriangle'
  ).split(' '),
);

/** Returns controls that a screen reader would only call "button". */
export function unnamedControls(nodes: readonly ReadNode[]): string[] {
  return nodes
    .filter(({ role, name }) => controls.has(role) && name === '')
    .map(({ role }) => `${role} without a name`);
}

/** Returns landmarks that are missing, or that exist several times; several of navigation need different names. */
export function landmarkFaults(nodes: readonly ReadNode[], wanted: readonly string[]): string[] {
  const single = ['banner', 'main', 'contentinfo'].flatMap((role) => {
    const count = nodes.filter((node) => node.role === role).length;
    return count === (wanted.includes(role) ? 1 : 0) ? [] : [`${count} of ${role}`];
  });
  const names = nodes.filter(({ role }) => role === 'navigation').map(({ name }) => name);
  const same = names.filter((name, index) => names.length > 1 && (name === '' || names.indexOf(name) !== index));
  const navigation = wanted.includes('navigation') && names.length === 0 ? ['0 of navigation'] : [];
  return [...single, ...navigation, ...same.map((name) => `navigation named “${name}” again`)];
}

/**
 * Returns main blocks, in reading order, that are placed above what is read before them. For a page in one column, as
 * wide as a phone.
 */
export function orderFaults(page: Page): Promise<string[]> {
  return page.evaluate(() => {
    const blocks = [
      ...document.querySelectorAll('header, main, footer, main section, main article, h1, h2, h3'),
    ].filter((element) => {
      const { width, height } = element.getBoundingClientRect();
      return width > 1 && height > 1 && element.closest('[aria-hidden=true]') === null;
    });
    const told = (element: Element) => `${element.tagName} ${(element.textContent ?? '').trim().slice(0, 40)}`;
    return blocks.flatMap((block, index) => {
      const before = blocks[index - 1];
      if (!before) return [];
      const [one, other] = [before.getBoundingClientRect(), block.getBoundingClientRect()];
      // side by side they are read from the left
      const isBeside = other.top < one.bottom && other.left >= one.right;
      const isAbove = other.top < one.top - 1 && !isBeside;
      return isAbove ? [`“${told(block)}” is read after “${told(before)}”, which stands below it`] : [];
    });
  });
}
