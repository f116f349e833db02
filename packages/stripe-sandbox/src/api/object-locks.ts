import { lockTimeout } from './stripe-error.ts';

export type ObjectLocks = {
  /**
   * Locks an object, if the sandbox is set to refuse concurrent writes instead of letting them wait.
   * @param id empty: the write creates an object
   * @returns a function that unlocks it
   * @throws StripeError 429 lock_timeout
   */
  lock(id: string): () => void;
};

export function createObjectLocks(isOn: () => boolean): ObjectLocks {
  const locked = new Set<string>();
  return {
    lock(id) {
      if (id === '' || !isOn()) return () => {};
      if (locked.has(id)) throw lockTimeout();
      locked.add(id);
      return () => void locked.delete(id);
    },
  };
}
