import type { AdapterPayload } from 'oidc-provider';
import type { Vault } from '#platform/crypto/vault.ts';
import { sha256 } from '../../hash.ts';

/** Models whose id is the bearer value itself: stored and looked up by hash (design: no bearer value at rest). */
const bearerModels: ReadonlySet<string> = new Set([
  'AuthorizationCode',
  'RefreshToken',
  'AccessToken',
  'Session',
  'Interaction',
]);

export type RecordRow = { payload: AdapterPayload; consumed: boolean };

/** Converts the records of one model between oidc-provider and the table: no bearer values, clients' secrets sealed. */
export function createRecordFormat(vault: Vault, namespace: string, modelName: string) {
  const model = namespace + modelName;
  const isBearer = bearerModels.has(modelName);
  const keyOf = (id: string) => (isBearer ? sha256(id) : id);
  const secretContext = (key: string) => ({ table: 'oauth_records', row: `${model}:${key}`, userId: '' });

  function toStored(id: string, payload: AdapterPayload): AdapterPayload {
    const key = keyOf(id);
    const stored: AdapterPayload = { ...payload };
    if (isBearer) delete stored.jti;
    // an interaction's return address ends with its id, which is also its cookie
    if (isBearer && stored.returnTo?.endsWith(id)) stored.returnTo = stored.returnTo.slice(0, -id.length);
    // the interaction's copy of the session contains the session cookie, which nothing reads
    if (stored.session) {
      const { accountId, uid, acr, amr } = stored.session;
      stored.session = { accountId, uid, ...(acr !== undefined && { acr }), ...(amr !== undefined && { amr }) };
    }
    if (typeof stored.client_secret === 'string') {
      stored.client_secret = vault.seal(secretContext(key), stored.client_secret);
    }
    return stored;
  }

  function fromStored(row: RecordRow, key: string, id: string | undefined): AdapterPayload {
    const payload: AdapterPayload = { ...row.payload };
    if (row.consumed) payload.consumed = true;
    if (isBearer && id !== undefined) {
      payload.jti = id;
      if (payload.returnTo?.endsWith('/')) payload.returnTo += id;
    }
    if (typeof payload.client_secret === 'string') {
      payload.client_secret = vault.open(secretContext(key), payload.client_secret);
    }
    return payload;
  }

  return { model, keyOf, toStored, fromStored };
}
