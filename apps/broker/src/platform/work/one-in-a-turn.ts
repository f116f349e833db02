/** Work that was put off, in its order. */
const waiting: (() => void)[] = [];

function workOffOne(): void {
  const work = waiting.shift();
  if (waiting.length > 0) setImmediate(workOffOne);
  work?.();
}

/**
 * Does long work in a turn of the event loop that it shares with no other of its kind: what arrives in one turn, from
 * different connections, would hold the loop for the sum of it all. `work` must not throw.
 */
export function oneInATurn(work: () => void): void {
  waiting.push(work);
  if (waiting.length === 1) setImmediate(workOffOne);
}
