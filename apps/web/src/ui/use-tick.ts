import { useSyncExternalStore } from 'react';

/** Relative times change by the minute at most. */
const tickMs = 15_000;

let ticks = 0;
const listeners = new Set<() => void>();
let timer: number | undefined;

function tick(): void {
  ticks += 1;
  for (const listener of listeners) listener();
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  timer ??= window.setInterval(tick, tickMs);
  return () => {
    listeners.delete(listener);
    if (listeners.size > 0) return;
    window.clearInterval(timer);
    timer = undefined;
  };
}

export function useTick(): void {
  const read = () => ticks;
  useSyncExternalStore(subscribe, read, read);
}
