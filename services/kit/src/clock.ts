/** Time as an argument, so that tests can move it. Epoch milliseconds. */
export type Clock = { now(): number };

export const systemClock: Clock = { now: () => Date.now() };
