/** Shares reads by key: concurrent requests for the same data cost the database one statement. */
export type SharedReads<T> = {
  /**
   * Joins the current read of this key, or begins one.
   * @param keep called with the value by the caller that began; `isCurrent` is false if the key was forgotten meanwhile
   */
  join(key: string, read: () => Promise<T>, keep: (value: T, isCurrent: boolean) => void): Promise<T>;
  /** Makes later callers start a new read of this key, because the current one may be stale; undefined: of every key. */
  forget(key: string | undefined): void;
};

export function createSharedReads<T>(): SharedReads<T> {
  const reading = new Map<string, Promise<T>>();

  function begin(key: string, read: () => Promise<T>, keep: (value: T, isCurrent: boolean) => void): Promise<T> {
    const work = read()
      .then((value) => {
        keep(value, reading.get(key) === work);
        return value;
      })
      .finally(() => {
        if (reading.get(key) === work) reading.delete(key);
      });
    reading.set(key, work);
    return work;
  }

  return {
    join: (key, read, keep) => reading.get(key) ?? begin(key, read, keep),
    forget(key) {
      if (key === undefined) reading.clear();
      else reading.delete(key);
    },
  };
}
