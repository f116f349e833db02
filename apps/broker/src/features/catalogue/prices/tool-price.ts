/** Price of a tool from a time until the next step. */
export type PriceStep = { credits: number; sinceMs: number };

export const toStep = ({ credits, since }: { credits: number; since: Date }): PriceStep => ({
  credits,
  sinceMs: since.getTime(),
});

export type ToolPrice = {
  /** Credits per call. */
  credits: number;
  /**
   * Time of the last increase, if an earlier price was lower: users who agreed only to that one are asked before they
   * pay more.
   */
  raisedAtMs: number | undefined;
  /** Every price until now, oldest first; empty if no user has to be asked. */
  steps: readonly PriceStep[];
  /** The next announced price. */
  coming: PriceStep | undefined;
};

export const freeOfCharge: ToolPrice = { credits: 0, raisedAtMs: undefined, steps: [], coming: undefined };

/** Returns the current price of a tool. @param steps its prices in order, future ones included */
export function toolPrice(steps: readonly PriceStep[], nowMs: number): ToolPrice {
  let credits = 0;
  let lowest = Infinity;
  let raisedAtMs: number | undefined;
  let past = 0;
  for (const step of steps) {
    if (step.sinceMs > nowMs) break;
    if (past > 0 && step.credits > credits) raisedAtMs = step.sinceMs;
    credits = step.credits;
    lowest = Math.min(lowest, credits);
    past++;
  }
  const isRaised = credits > lowest;
  return {
    credits,
    raisedAtMs: isRaised ? raisedAtMs : undefined,
    steps: isRaised ? steps.slice(0, past) : freeOfCharge.steps,
    coming: steps[past],
  };
}

/**
 * Returns the price in force at a time. A time before the first step gets the first price, because the tool did not
 * exist yet.
 */
export function creditsAt(steps: readonly PriceStep[], atMs: number): number {
  const inForce = steps.findLast(({ sinceMs }) => sinceMs <= atMs) ?? steps[0];
  return inForce?.credits ?? 0;
}
