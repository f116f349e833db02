import { ToolRefusal } from './tools.ts';

/** Limits concurrent slow calls, so that one user cannot block a service for the others. */
export type SlowCalls = {
  /**
   * Runs `work` unless `key` has reached its limit.
   * @throws ToolRefusal at the limit
   */
  run<T>(key: string, work: () => Promise<T>): Promise<T>;
};

export function createSlowCalls(perKey: number): SlowCalls {
  const running = new Map<string, number>();
  return {
    async run(key, work) {
      const count = running.get(key) ?? 0;
      if (count >= perKey) {
        throw new ToolRefusal(`${perKey} such calls are running already. Wait for one to end, or cancel one.`);
      }
      running.set(key, count + 1);
      try {
        return await work();
      } finally {
        const left = (running.get(key) ?? 1) - 1;
        if (left === 0) running.delete(key);
        else running.set(key, left);
      }
    },
  };
}
