/** Reads under way, by key: many requests that need the same at the same time cost the database one statement. */
export type SharedReads<T> = {
  /**
   * Joins the read of this key that is under way, or begins one.
   * @param keep gets what the one that begins has read; `isCurrent` is false if the key was forgotten meanwhile
   */
  join(key: string, read: () => Promise<T>, keep: (value: T, isCurrent: boolean) => void): Promise<T>;
  /** What is being read of this key may be out of date: it answers those who asked before. undefined: of every key. */
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
