import { faultsOfFields } from '@souk/contract/billing/offer-fields.ts';
import { tiers } from '@souk/contract/tiers.ts';
import { writeAuditsWith } from '#platform/audit/audit-log.ts';
import type { DecidedBy } from '#platform/audit/decided-by.ts';
import type { Clock } from '#platform/clock.ts';
import type { Database, Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import { countQueued, endMovesOf } from '../moves/move-store.ts';
import { auditOf } from './audit-of-offer.ts';
import { effectsOf, isOtherOffer } from './effects.ts';
import { countByPrice, countHolders, countOpenPages, renewingOf } from './offer-counts.ts';
import { lockOffers, readStoredOffers, unmarkOthers, writeStoredOffer, type StoredOffer } from './offer-rows.ts';
import { StaleOffer, wantedOffer, type WantedChange } from './wanted-offer.ts';

export type ChangedOffer = { effects: string[]; before: StoredOffer | undefined; after: StoredOffer };

export type ChangeParts = {
  db: Pick<Database, 'transaction'>;
  livemode: boolean;
  currency: string | undefined;
  emailsOf(userIds: readonly string[]): Promise<ReadonlyMap<string, string>>;
  clock: Clock;
};

/**
 * Changes an offer, with its audit rows, in one transaction; a preview only says what that would do.
 * @throws SoukError invalid_request with the invalid fields, not_found, changed_since_shown for a stale write
 */
export async function changeOffer(
  parts: ChangeParts,
  wanted: WantedChange,
  by: DecidedBy,
  isPreview: boolean,
): Promise<ChangedOffer> {
  try {
    return await parts.db.transaction((query) => changeIn(query, parts, wanted, by, isPreview));
  } catch (error) {
    // the other editor is read after the transaction: the embedded database has one connection
    throw error instanceof StaleOffer ? await staleError(parts, error.offer) : error;
  }
}

async function changeIn(
  query: Query,
  parts: ChangeParts,
  wanted: WantedChange,
  by: DecidedBy,
  isPreview: boolean,
): Promise<ChangedOffer> {
  const { livemode } = parts;
  await lockOffers(query);
  const stored = await readStoredOffers(query);
  const before = stored.find((one) => one.offerId === wanted.offerId);
  const after = wantedOffer(wanted, stored, by, new Date(parts.clock.now()));
  await refuse(parts, query, before, after, stored);
  const { kind, offerId } = after;
  const groups = kind === 'plan' ? renewingOf(await countByPrice(query, livemode, offerId)) : [];
  const losing = after.fields.popular
    ? stored.filter((one) => one.kind === kind && one.offerId !== offerId && one.fields.popular)
    : [];
  const effects = effectsOf(before, after, {
    groups,
    openPages: await countOpenPages(query, livemode, kind, offerId),
    // archived offers show no mark
    unmarked: losing.filter(({ active }) => active).map(({ fields }) => fields.name),
    waiting: await countQueued(query, livemode, offerId),
  });
  if (wanted.type === 'change' && wanted.change.type === 'take-file')
    effects.push(`offers.json changes ${after.fields.name} again, at each start.`);
  if (isPreview) return { effects, before, after };
  if (losing.length > 0) await unmarkOthers(query, kind, offerId);
  await writeStoredOffer(query, after);
  if (before && (isOtherOffer(before.fields, after.fields) || !after.active))
    await endMovesOf(query, offerId, parts.clock.now());
  await writeAuditsWith(query, auditOf(wanted, before, after, losing, by), new Date(parts.clock.now()));
  return { effects, before, after };
}

async function refuse(
  { livemode, currency, clock }: ChangeParts,
  query: Query,
  before: StoredOffer | undefined,
  after: StoredOffer,
  stored: readonly StoredOffer[],
): Promise<void> {
  const { offerId, fields, active } = after;
  const faults = active ? faultsOfFields(offerId, fields, { currency }) : [];
  const namesake = findNamesake(after, before, stored);
  if (namesake) faults.push({ path: 'name', message: `is the name of another ${after.kind}: ${namesake.offerId}` });
  const was = before?.fields;
  if (fields.kind === 'plan' && was?.kind === 'plan' && tiers[fields.tier].level < tiers[was.tier].level) {
    const holders = await countHolders(query, { livemode, nowMs: clock.now() }, offerId);
    if (holders > 0)
      faults.push({
        path: 'tier',
        message: `cannot be lower than ${tiers[was.tier].name}: ${holders} ${holders === 1 ? 'person has' : 'people have'} it. Archive the plan and create another one instead`,
      });
  }
  if (faults.length > 0)
    throw new SoukError('invalid_request', {
      message: faults.map(({ path, message }) => `${path}: ${message}`).join('\n'),
      issues: faults,
    });
}

/** Finds another offer on sale with the same name; an offer that already had the name keeps it. */
function findNamesake(
  { active, kind, offerId, fields }: StoredOffer,
  before: StoredOffer | undefined,
  stored: readonly StoredOffer[],
): StoredOffer | undefined {
  const isNamed = (one: StoredOffer) => one.active && one.fields.name.toLowerCase() === fields.name.toLowerCase();
  if (!active || (before && isNamed(before))) return undefined;
  return stored.find((one) => one.kind === kind && one.offerId !== offerId && isNamed(one));
}

async function staleError({ emailsOf }: ChangeParts, { fields, editedAt, editedBy }: StoredOffer): Promise<SoukError> {
  const email = editedBy === undefined ? undefined : (await emailsOf([editedBy])).get(editedBy);
  const who = email ?? (editedAt ? 'Another administrator' : 'offers.json');
  return new SoukError('changed_since_shown', {
    message: `${who} changed ${fields.name} while you were editing it. Nothing was saved.`,
  });
}
