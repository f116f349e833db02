import { ToolRefusal } from './tools.ts';

/** Bounds how many slow calls run at a time, so that one person cannot keep a service from the others. */
export type SlowCalls = {
  /**
   * Runs `work` if `key` has a free place.
   * @throws ToolRefusal when it has none.
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
