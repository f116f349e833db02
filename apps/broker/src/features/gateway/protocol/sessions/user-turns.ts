import { isDatabaseLost } from '#platform/db/database-errors.ts';

/** Serializes work per user, so that waiting work does not occupy database connections. */
export function createUserTurns() {
  const lastOf = new Map<string, Promise<unknown>>();
  return <T>(userId: string, work: () => Promise<T>): Promise<T> => {
    const before = lastOf.get(userId) ?? Promise.resolve();
    const turn = before.then(work, (error: unknown) => {
      // otherwise each piece of waiting work would run into the same timeout in turn
      if (isDatabaseLost(error)) throw error;
      return work();
    });
    lastOf.set(userId, turn);
    const leave = () => void (lastOf.get(userId) === turn && lastOf.delete(userId));
    turn.then(leave, leave);
    return turn;
  };
}
