/** Passes on at most one value per `everyMs`. Of the values in between, only the newest waits. `stop` drops it. */
export function createThrottle<Value>(everyMs: number, pass: (value: Value) => void) {
  let waiting: { value: Value } | undefined;
  let timer: NodeJS.Timeout | undefined;

  function next(): void {
    timer = undefined;
    if (!waiting) return;
    const { value } = waiting;
    waiting = undefined;
    send(value);
  }

  function send(value: Value): void {
    timer = setTimeout(next, everyMs);
    timer.unref();
    pass(value);
  }

  return {
    put(value: Value): void {
      if (timer) waiting = { value };
      else send(value);
    },
    stop(): void {
      clearTimeout(timer);
      waiting = undefined;
    },
  };
}
