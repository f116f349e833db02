import { untilText } from '../overlap/overlap-texts.ts';
import { isChargedAfter } from '../overlap/rentals-paid-twice.ts';

type Resumed = {
  name: string;
  charge: string;
  /** ISO time of that charge; null: unknown. */
  chargedAt: string | null;
  /** The plan that includes the service, and until when. `nextName` is the next plan, which does not include it. */
  inPlan: { planName: string; until: string | null; nextName: string | undefined };
};

/** Says what resuming a rental costs if a plan includes the service: the user pays twice until the plan stops. */
export function resumedRentalText({ name, charge, chargedAt, inPlan: { planName, until, nextName } }: Resumed) {
  const follows = until === null || nextName === undefined ? '' : `; ${nextName} does not include it`;
  const included = `Your ${planName} plan includes ${name}${untilText(until)}${follows}.`;
  if (isChargedAfter(until, chargedAt)) return { text: `${included} ${charge}` };
  return {
    text: `${included} If you keep renting it, you pay twice${until === null ? '' : ' until then'}. Besides your plan, ${lowerFirst(charge)}`,
    confirmLabel: 'Resume and pay twice',
  };
}

const lowerFirst = (text: string) => text.charAt(0).toLowerCase() + text.slice(1);
