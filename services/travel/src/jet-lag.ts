/** Daily shift of the body clock: about an hour earlier, or an hour and a half later (a rule of sleep medicine). */
const advancePerDayMinutes = 60;
const delayPerDayMinutes = 90;
const usualBedtimeMinutes = 23 * 60;
const dayMinutes = 1_440;

export type JetLagPlan = {
  /** Minutes by which the body clock must shift; positive: earlier (usually after flying east). */
  shiftMinutes: number;
  advice: string;
  days: { day: number; bedtime: string; seekLight: 'in the morning' | 'in the evening' }[];
};

/**
 * Plans a local bedtime for each day after arrival until 23:00 feels like 23:00.
 * @param aheadMinutes minutes by which the destination is ahead of the origin
 */
export function planJetLag(aheadMinutes: number): JetLagPlan {
  const shiftMinutes = shorterWay(aheadMinutes);
  const earlier = shiftMinutes > 0;
  const perDay = earlier ? advancePerDayMinutes : delayPerDayMinutes;
  const days = Array.from({ length: Math.ceil(Math.abs(shiftMinutes) / perDay) }, (_, index) => {
    const left = Math.max(0, Math.abs(shiftMinutes) - perDay * (index + 1));
    return {
      day: index + 1,
      bedtime: clockText(usualBedtimeMinutes + (earlier ? left : -left)),
      seekLight: earlier ? ('in the morning' as const) : ('in the evening' as const),
    };
  });
  return { shiftMinutes, advice: adviceFor(shiftMinutes), days };
}

/** Chooses the shorter direction: 15 hours forward are 9 hours back. */
function shorterWay(minutes: number): number {
  const wrapped = (((minutes % dayMinutes) + dayMinutes) % dayMinutes) - dayMinutes;
  return wrapped <= -dayMinutes / 2 ? wrapped + dayMinutes : wrapped;
}

function adviceFor(shiftMinutes: number): string {
  if (Math.abs(shiftMinutes) < 120) return 'The clocks are close: keep your usual hours.';
  return shiftMinutes > 0
    ? 'Go to bed earlier each day and look for morning light.'
    : 'Stay up later each day and look for evening light.';
}

function clockText(minutes: number): string {
  const inDay = ((minutes % dayMinutes) + dayMinutes) % dayMinutes;
  return `${String(Math.floor(inDay / 60)).padStart(2, '0')}:${String(inDay % 60).padStart(2, '0')}`;
}
