type Definition = Readonly<Record<string, unknown>>;

/** By definition, since the one of a tool never changes in place. */
const known = new WeakMap<Definition, boolean>();

/** Whether a tool mirrors arguments in headers (SEP-2243): the SDK compares and encodes those. */
export function mirrorsArguments(definition: Definition): boolean {
  let mirrors = known.get(definition);
  if (mirrors === undefined) {
    mirrors = JSON.stringify(definition['inputSchema'] ?? null).includes('"x-mcp-header"');
    known.set(definition, mirrors);
  }
  return mirrors;
}
