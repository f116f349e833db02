import type { Clock } from '@souk/service-kit/clock.ts';
import { errors, type Adapter, type AdapterFactory } from 'oidc-provider';
import type { OauthRecords } from './records.ts';

/** Implements oidc-provider's storage with our records. */
export function createAdapterFactory(records: OauthRecords, clock: Clock): AdapterFactory {
  return (model): Adapter => ({
    async upsert(id, payload, expiresInSeconds) {
      const expiresAtMs = expiresInSeconds === undefined ? undefined : clock.now() + expiresInSeconds * 1_000;
      records.put(model, id, payload, expiresAtMs);
    },
    find: async (id) => records.find(model, id, clock.now()),
    findByUid: async (uid) => records.findByUid(model, uid, clock.now()),
    // device codes are disabled
    findByUserCode: async () => undefined,
    async consume(id) {
      if (!records.consume(model, id, clock.now())) throw new errors.InvalidGrant('already used');
    },
    destroy: async (id) => records.remove(model, id),
    revokeByGrantId: async (grantId) => records.removeGrant(grantId),
  });
}
