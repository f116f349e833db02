/**
 * What may be spent within a minute. Says whether it still covers `amount`, which is spent either way. It fills again at an
 * even rate, so that a program which stays below that is never refused.
 */
export type Allowance = (amount: number) => boolean;

const minuteMs = 60_000;

export function createAllowance(perMinute: number, now: () => number = () => performance.now()): Allowance {
  let spent = 0;
  let lastMs = now();
  return (amount) => {
    const nowMs = now();
    spent = Math.max(0, spent - ((nowMs - lastMs) / minuteMs) * perMinute) + amount;
    lastMs = nowMs;
    return spent <= perMinute;
  };
}
