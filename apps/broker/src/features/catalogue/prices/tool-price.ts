/** Price of a tool from a moment on, until the next step. */
export type PriceStep = { credits: number; sinceMs: number };

export const toStep = ({ credits, since }: { credits: number; since: Date }): PriceStep => ({
  credits,
  sinceMs: since.getTime(),
});

export type ToolPrice = {
  /** Credits per call. */
  credits: number;
  /** Last rise of the price, while it is above an earlier one: users who know only that one are asked first. */
  raisedAtMs: number | undefined;
  /** Every price so far, oldest first; empty when no user has to be asked. */
  steps: readonly PriceStep[];
  /** The next announced price. */
  coming: PriceStep | undefined;
};

export const freeOfCharge: ToolPrice = { credits: 0, raisedAtMs: undefined, steps: [], coming: undefined };

/** @param steps of one tool in order, future ones included */
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

/** The price in force at a moment. Before the first step it is the first price, because the tool is newer. */
export function creditsAt(steps: readonly PriceStep[], atMs: number): number {
  const inForce = steps.findLast(({ sinceMs }) => sinceMs <= atMs) ?? steps[0];
  return inForce?.credits ?? 0;
}
