/** Whether a path repeats another: alternative spellings of a route, and icons of bundled servers. */
const isRepeated = (path: string) => (path.length > 1 && path.endsWith('/')) || path.startsWith('/icons/bundled/');
const measured = new Set(['GET', 'POST', 'PUT', 'DELETE']);

/**
 * Lists every route of a server as `METHOD /path`, from Fastify's drawing of its tree. HEAD and OPTIONS are part of GET and
 * POST; PUT of the link is refused like DELETE.
 */
export function routesOf(drawn: string): string[] {
  const parents: string[] = [];
  const found = drawn.split('\n').flatMap((line) => {
    const [, before = '', text = '', methods = ''] = /^([│├└─ ]*)(\S+)(?: \(([A-Z, ]+)\))?$/u.exec(line) ?? [];
    if (text === '') return [];
    const depth = before.length / 4;
    const path = (parents[depth - 1] ?? '') + text;
    parents[depth] = path;
    if (isRepeated(path)) return [];
    const isLink = /^(\/s\/:serverId)?\/mcp$/.test(path);
    return methods
      .split(', ')
      .filter((method) => measured.has(method) && !(isLink && method === 'PUT'))
      .map((method) => `${method} ${path}`);
  });
  return [...new Set(found)];
}
