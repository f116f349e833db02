export type JsonObject = Readonly<Record<string, unknown>>;

/** Returns the member of an object if it is an object itself, else an empty object. */
export function partOf(object: JsonObject, name: string): JsonObject {
  const part = object[name];
  return typeof part === 'object' && part !== null && !Array.isArray(part) ? { ...part } : {};
}
