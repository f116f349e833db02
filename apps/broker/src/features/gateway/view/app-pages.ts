import { asRecord } from '#platform/json.ts';

/**
 * The keys in a tool's `_meta` for the page that shows its results: the older name of MCP Apps (2026-01-26), and ChatGPT's.
 * The current name, `ui.resourceUri`, is nested and handled below.
 */
const pageKeys: ReadonlySet<string> = new Set(['ui/resourceUri', 'openai/outputTemplate']);

type Meta = Readonly<Record<string, unknown>>;

/** A copy of `_meta` with `expose` applied to the URI of each page. */
export function withPages(meta: Meta, expose: (uri: string) => string): Meta {
  const exposed = Object.entries(meta).map(([key, value]) => {
    const ui = key === 'ui' ? asRecord(value) : undefined;
    if (typeof ui?.['resourceUri'] === 'string') return [key, { ...ui, resourceUri: expose(ui['resourceUri']) }];
    return [key, pageKeys.has(key) && typeof value === 'string' ? expose(value) : value];
  });
  return Object.fromEntries(exposed);
}

export function pagesOf(meta: unknown): string[] {
  const pages: string[] = [];
  withPages(asRecord(meta) ?? {}, (uri) => (pages.push(uri), uri));
  return pages;
}
