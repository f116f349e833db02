import { SoukError } from '#platform/errors.ts';
import type { Query } from '#platform/db/database.ts';
import { isShown, statusOf, type OwnedPlan, type OwnedServer } from '../../entitlement/owned.ts';
import type { ShopParts } from '../shop-parts.ts';

type FindParts = { access: Pick<ShopParts['access'], 'read'>; db: Pick<ShopParts['db'], 'query'>; nowMs: number };

/** A running subscription that its owner pays for, with its id at the payment provider. */
export type Own<Kind> = Kind & { providerSubscriptionId: string };

/** Finds the user's rental of a server. @throws SoukError not_found; not_yours_to_end where an administrator gave it */
export async function findRental(
  { access, db, nowMs }: FindParts,
  userId: string,
  serverId: string,
): Promise<Own<OwnedServer>> {
  const { servers } = await access.read(userId);
  const rentals = servers.filter((one) => one.kind === 'rental' && one.serverId === serverId && isShown(one, nowMs));
  const paid = rentals.find(({ source }) => source === 'payment');
  if (paid) return { ...paid, providerSubscriptionId: await paymentOf(db.query, 'access_grants', paid.id) };
  if (rentals.length > 0) throw givenByAdministrator();
  throw new SoukError('not_found', { message: `You do not rent ${serverId}` });
}

/** Finds the user's plan by the id of its subscription, like `findRental`. */
export async function findPlan({ access, db, nowMs }: FindParts, userId: string, id: string): Promise<Own<OwnedPlan>> {
  const { plans } = await access.read(userId);
  const plan = plans.find((one) => one.id === id && isShown(one, nowMs));
  if (!plan) throw new SoukError('not_found', { message: 'You have no such subscription' });
  if (plan.source !== 'payment') throw givenByAdministrator();
  return { ...plan, providerSubscriptionId: await paymentOf(db.query, 'subscriptions', plan.id) };
}

/** @throws SoukError not_active unless it renews and is paid */
export function requireActive(own: OwnedPlan | OwnedServer, nowMs: number): void {
  const status = statusOf(own, nowMs);
  if (status === 'active') return;
  const message =
    status === 'canceled'
      ? 'This is canceled already. You can resume it until its period ends.'
      : 'The last payment failed. Pay it first, or cancel this.';
  throw new SoukError('not_active', { message });
}

/** @throws SoukError not_active */
export function requireCancelled(own: OwnedPlan | OwnedServer): void {
  if (!own.isCancelled) throw new SoukError('not_active', { message: 'This is not canceled: it renews by itself.' });
}

const givenByAdministrator = () =>
  new SoukError('not_yours_to_end', { message: 'An administrator gave you this. Ask them to change or end it.' });

/** Finds the payment provider's id of a plan or rental. */
export async function paymentOf(query: Query, table: 'subscriptions' | 'access_grants', id: string): Promise<string> {
  const { rows } = await query<{ payment_id: string | null }>(`select payment_id from ${table} where id = $1`, [id]);
  const found = rows[0]?.payment_id;
  if (typeof found !== 'string') throw new SoukError('not_found', { message: 'There is no payment behind this' });
  return found;
}
