import { randomBytes } from 'node:crypto';
import type { Database } from '#platform/db/database.ts';
import { startShop, type Shop } from './shop.ts';

/**
 * Starts two brokers of one installation on one database, each with webhooks that the test controls. The caller stops
 * both, and closes the database.
 */
export async function startTwoShops(db: Database): Promise<[Shop, Shop]> {
  const env = { MASTER_KEY: randomBytes(32).toString('base64url') };
  const options = { env, db: { ...db, close: async () => {} } };
  const shop = await startShop(options);
  return [shop, await startShop({ ...options, env: { ...env, PUBLIC_URL: shop.publicUrl } })];
}
