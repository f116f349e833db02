export type JsonObject = Readonly<Record<string, unknown>>;

/** The member of an object that is an object itself; an empty one where it is none. */
export function partOf(object: JsonObject, name: string): JsonObject {
  const part = object[name];
  return typeof part === 'object' && part !== null && !Array.isArray(part) ? { ...part } : {};
}
