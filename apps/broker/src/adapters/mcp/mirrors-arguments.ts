type Definition = Readonly<Record<string, unknown>>;

/** The results by definition: a tool's definition never changes in place. */
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
