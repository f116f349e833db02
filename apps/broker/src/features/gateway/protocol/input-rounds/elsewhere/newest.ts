/**
 * Passes a value on at once, and while more come the newest of them after each `everyMs`.
 * `stop` drops the one that waits.
 */
export function createNewest<Value>(everyMs: number, pass: (value: Value) => void) {
  let waiting: { value: Value } | undefined;
  let timer: NodeJS.Timeout | undefined;

  function next(): void {
    timer = undefined;
    if (!waiting) return;
    const { value } = waiting;
    waiting = undefined;
    tell(value);
  }

  function tell(value: Value): void {
    timer = setTimeout(next, everyMs);
    timer.unref();
    pass(value);
  }

  return {
    put(value: Value): void {
      if (timer) waiting = { value };
      else tell(value);
    },
    stop(): void {
      clearTimeout(timer);
      waiting = undefined;
    },
  };
}
