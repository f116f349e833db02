/**
 * The page in which a client shows a tool's results, named by the tool's `_meta` (MCP Apps, 2026-01-26): today's name,
 * the one before, and ChatGPT's own.
 */
const pageKeys: ReadonlySet<string> = new Set(['ui/resourceUri', 'openai/outputTemplate']);

type Meta = Readonly<Record<string, unknown>>;

/** The same `_meta` with each page's address replaced by what `expose` makes of it. */
export function withPages(meta: Meta, expose: (uri: string) => string): Meta {
  const exposed = Object.entries(meta).map(([key, value]) => {
    if (key === 'ui' && isObject(value) && typeof value['resourceUri'] === 'string') {
      return [key, { ...value, resourceUri: expose(value['resourceUri']) }];
    }
    return [key, pageKeys.has(key) && typeof value === 'string' ? expose(value) : value];
  });
  return Object.fromEntries(exposed);
}

/** The addresses of the pages that a tool names. */
export function pagesOf(meta: unknown): string[] {
  const pages: string[] = [];
  if (isObject(meta)) withPages(meta, (uri) => (pages.push(uri), uri));
  return pages;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null;
}
