/** What a tool costs from a moment on, until the next step. */
export type PriceStep = { credits: number; sinceMs: number };

export const toStep = ({ credits, since }: { credits: number; since: Date }): PriceStep => ({
  credits,
  sinceMs: since.getTime(),
});

export type ToolPrice = {
  /** Credits a call. */
  credits: number;
  /** When the price last rose, while it is above an earlier one: people who know only that one are asked first. */
  raisedAtMs: number | undefined;
  /** Every price so far, the oldest first; empty where nothing has to be asked. */
  steps: readonly PriceStep[];
  /** The next price that was announced. */
  coming: PriceStep | undefined;
};

export const freeOfCharge: ToolPrice = { credits: 0, raisedAtMs: undefined, steps: [], coming: undefined };

/** @param steps of one tool, in order, also those that are to come */
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

/** The price that was in force at a moment; before the first step, the first one: the tool was new after it. */
export function creditsAt(steps: readonly PriceStep[], atMs: number): number {
  const inForce = steps.findLast(({ sinceMs }) => sinceMs <= atMs) ?? steps[0];
  return inForce?.credits ?? 0;
}
