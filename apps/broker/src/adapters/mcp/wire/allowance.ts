const minuteMs = 60_000;

/**
 * An allowance per minute that refills evenly, so that a program below that rate is never refused.
 * @returns a function that spends an amount, and returns whether the allowance covered it
 */
export function createAllowance(perMinute: number, now: () => number = () => performance.now()) {
  let spent = 0;
  let lastMs = now();
  return (amount: number): boolean => {
    const nowMs = now();
    spent = Math.max(0, spent - ((nowMs - lastMs) / minuteMs) * perMinute) + amount;
    lastMs = nowMs;
    return spent <= perMinute;
  };
}
