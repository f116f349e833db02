const keyword = 'x-mcp-header';
/** RFC 9110, section 5.6.2. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;
const primitive: ReadonlySet<unknown> = new Set(['string', 'integer', 'boolean']);
/** Keywords whose value is data, not a schema. */
const values: ReadonlySet<string> = new Set(['const', 'default', 'enum', 'examples']);

/**
 * Finds a fault in the arguments that a tool mirrors in headers (SEP-2243): a client must ignore a tool with such a
 * fault, and only that tool. Every name must be a valid header name, unique, and on a plain property, at any depth.
 */
export function faultOfHeaderArguments(inputSchema: unknown): string | undefined {
  const seen = new Set<string>();
  const visit = (node: unknown, isProperty: boolean, isReachable: boolean): string | undefined => {
    if (typeof node !== 'object' || node === null) return undefined;
    if (!Array.isArray(node) && keyword in node) {
      const fault = faultOf(node[keyword], 'type' in node ? node.type : undefined, isProperty && isReachable, seen);
      if (fault) return fault;
    }
    for (const [key, inner] of Object.entries(node)) {
      if (values.has(key)) continue;
      const isProperties = key === 'properties' && typeof inner === 'object' && inner !== null;
      for (const child of isProperties ? Object.values(inner) : [inner]) {
        const fault = visit(child, isProperties, isReachable && isProperties);
        if (fault) return fault;
      }
    }
    return undefined;
  };
  return visit(inputSchema, false, true);
}

function faultOf(name: unknown, type: unknown, isPlainProperty: boolean, seen: Set<string>): string | undefined {
  if (!isPlainProperty) return 'a header name is set on something other than a plain property';
  if (typeof name !== 'string' || !token.test(name)) return `${JSON.stringify(name)} is not a valid header name`;
  if (!primitive.has(type)) return `${name} is not a string, integer or boolean`;
  if (seen.has(name.toLowerCase())) return `${name} is used twice`;
  seen.add(name.toLowerCase());
  return undefined;
}
