import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import { isRunning, type OwnedPlan } from '../../../entitlement/owned.ts';
import type { ShopParts } from '../../shop-parts.ts';
import type { Ending } from './end-texts.ts';

type Given = Pick<ShopParts, 'clock'> & { query: Query; access: Pick<ShopParts['access'], 'read' | 'announce'> };

/**
 * Cancels a plan that an administrator gave, so that it ends with its period, or undoes that, where nothing is sold.
 * @throws SoukError not_found, not_active
 */
export async function setEndOfGiven(
  { query, access, clock }: Given,
  { userId, id, isCancelled }: { userId: string; id: string; isCancelled: boolean },
): Promise<Ending> {
  const plan = await findGiven(access, userId, id, clock.now());
  const name = `The ${plan.name} plan`;
  if (plan.isCancelled === isCancelled)
    throw new SoukError('not_active', { message: isCancelled ? 'This is canceled already.' : 'This is not canceled.' });
  await query('update subscriptions set cancelled_at = $3 where id = $1 and user_id = $2 and ended_at is null', [
    id,
    userId,
    isCancelled ? new Date(clock.now()) : null,
  ]);
  await access.announce(userId);
  const endsAt = plan.periodEndsAtMs === undefined ? null : new Date(plan.periodEndsAtMs).toISOString();
  if (!isCancelled) return { message: `${name} is resumed.`, endsAt };
  const until = endsAt === null ? '' : ` You keep access until ${endsAt.slice(0, 10)} and can resume until then.`;
  return { message: `${name} is canceled.${until}`, endsAt };
}

async function findGiven(access: Given['access'], userId: string, id: string, nowMs: number): Promise<OwnedPlan> {
  const { plans } = await access.read(userId);
  const plan = plans.find((one) => one.id === id && one.source === 'administrator' && isRunning(one, nowMs));
  if (!plan) throw new SoukError('not_found', { message: 'You have no such subscription' });
  return plan;
}
