const waiting: (() => void)[] = [];

function runNext(): void {
  const work = waiting.shift();
  if (waiting.length > 0) setImmediate(runNext);
  work?.();
}

/**
 * Runs long work in a separate turn of the event loop: if several connections bring such work in one turn, it would
 * otherwise block the loop for the sum of it. `work` must not throw.
 */
export function oneInATurn(work: () => void): void {
  waiting.push(work);
  if (waiting.length === 1) setImmediate(runNext);
}
