import { SoukError } from '#platform/errors.ts';
import { utcDayText } from '@souk/contract/utc-day.ts';

/** The answer to the user: `endsAt` null where it renews. */
export type Ending = { message: string; endsAt: string | null };

export function canceledText(name: string, periodEndsAtMs: number | undefined): Ending {
  const endsAt = periodEndsAtMs === undefined ? null : new Date(periodEndsAtMs).toISOString();
  const until = endsAt === null ? '' : ` You keep access until ${utcDayText(endsAt)} and can resume until then.`;
  return { message: `${name} is canceled.${until}`, endsAt };
}

export const resumedText = (name: string): Ending => ({
  message: `${name} is resumed: it renews by itself.`,
  endsAt: null,
});

/** @param kept sentence that says that a plan includes it */
export function endedText(name: string, kept?: string): Ending {
  const ended = kept === undefined ? 'access' : 'it';
  const text = `Its last payment failed, so ${ended} has ended and nothing more is charged.`;
  return { message: [`${name} is canceled.`, text, kept].filter(Boolean).join(' '), endsAt: null };
}

export const changed = (name: string, how: string): SoukError =>
  new SoukError('not_active', { message: `${name} ${how}. Nothing was changed. Check it and try again.` });

/** Answer where the server is undeployed, also before the job has set the end of the rental. */
export const notRenewed = (name: string): SoukError =>
  new SoukError('not_active', { message: `${name} is no longer offered: its rental is not renewed.` });
