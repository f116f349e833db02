import { lockTimeout } from './stripe-error.ts';

/** Objects that a write works on. */
export type ObjectLocks = {
  /**
   * Locks an object, where the sandbox is set to refuse a second write instead of letting it wait.
   * @param id empty: the write makes an object
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
