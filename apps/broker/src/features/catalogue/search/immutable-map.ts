/**
 * Number of shards. A change copies only the shards of its keys: with 50,000 tools a shard has about twelve, and 500
 * tools of 50 servers copy 6,000 entries.
 */
const shardCount = 4_096;
/** Characters hashed, from the end of a key: addresses of resources may be long, and their ends distinguish them. */
const hashedCharacters = 64;

/** An immutable map. A change returns a new map, which shares the unchanged shards. */
export type ImmutableMap<Value> = {
  get(key: string): Value | undefined;
  has(key: string): boolean;
  /** @param removed values under these keys; a key whose value was replaced meanwhile stays */
  change(removed: Iterable<readonly [string, Value]>, added: Iterable<readonly [string, Value]>): ImmutableMap<Value>;
};

type Shard<Value> = Map<string, Value>;

export const emptyMap = <Value>(): ImmutableMap<Value> => mapOf<Value>([]);

function mapOf<Value>(shards: readonly (Shard<Value> | undefined)[]): ImmutableMap<Value> {
  return {
    get: (key) => shards[shardOf(key)]?.get(key),
    has: (key) => shards[shardOf(key)]?.has(key) ?? false,
    change(removed, added) {
      const next = [...shards];
      const copied = new Map<number, Shard<Value>>();
      const shardToChange = (key: string): Shard<Value> => {
        const at = shardOf(key);
        const known = copied.get(at);
        if (known) return known;
        const copy = new Map(shards[at]);
        copied.set(at, copy);
        next[at] = copy;
        return copy;
      };
      for (const [key, value] of removed) {
        const shard = shardToChange(key);
        if (shard.get(key) === value) shard.delete(key);
      }
      for (const [key, value] of added) shardToChange(key).set(key, value);
      return mapOf(next);
    },
  };
}

function shardOf(key: string): number {
  let hash = 0;
  for (let at = Math.max(0, key.length - hashedCharacters); at < key.length; at++)
    hash = (Math.imul(hash, 31) + key.charCodeAt(at)) | 0;
  // the lower bits alone would depend little on the first characters
  return (hash ^ (hash >>> 15)) & (shardCount - 1);
}
