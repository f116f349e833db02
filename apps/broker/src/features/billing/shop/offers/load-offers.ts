import { isDeepStrictEqual } from 'node:util';
import type { OfferFields } from '@souk/contract/billing/offer-fields.ts';
import { ConfigError } from '#platform/config.ts';
import type { Query } from '#platform/db/database.ts';
import { lockOffers, readStoredOffers, writeStoredOffer, type FileVersion, type StoredOffer } from './offer-rows.ts';
import type { Offers } from './read-offers.ts';
import { endMovesOf } from '../moves/move-store.ts';
import { isOtherOffer } from './effects.ts';
import { changedFields } from './offer-words.ts';

/** The plan that is marked "Most Popular" until another one is marked (specification part 1, section 2). */
const firstPopular = 'pro';

/** A change of offers.json since the last start that does not apply, because the offer was edited here. */
export type IgnoredChange = { offerId: string; name: string; editedAt: Date; changes: readonly string[] };

/**
 * Updates the offers from offers.json, except those that an administrator has edited. An offer that left the file stays for
 * users who have it, and cannot be bought.
 * @returns the changes that do not apply
 * @throws ConfigError where the file conflicts with what was edited here
 */
export async function loadOffers(query: Query, offers: Offers, nowMs: number): Promise<IgnoredChange[]> {
  await lockOffers(query);
  const stored = await readStoredOffers(query);
  const versions = fileVersions(offers);
  refuseConflicts(stored, versions);
  const ignored: IgnoredChange[] = [];
  for (const [offerId, version] of versions) {
    const before = stored.find((one) => one.offerId === offerId && one.kind === version.fields.kind);
    if (before?.editedAt) ignored.push(...ignoredOf(before, version, before.editedAt));
    else {
      await writeFromFile(query, before, offerId, version, stored);
      if (before && isOtherOffer(before.fields, version.fields)) await endMovesOf(query, offerId, nowMs);
    }
    if (!isDeepStrictEqual(before?.fileVersion, version)) await recordVersion(query, offerId, version);
  }
  for (const before of stored) {
    const { offerId, editedAt, fileVersion, active } = before;
    if (versions.get(offerId)?.fields.kind === before.kind) continue;
    if (editedAt && fileVersion) ignored.push(...ignoredOf(before, undefined, editedAt));
    else if (!editedAt && active)
      await writeStoredOffer(query, { ...before, active: false, revision: before.revision + 1 });
    if (fileVersion) await recordVersion(query, offerId, undefined, before.kind);
  }
  return ignored;
}

function fileVersions({ plans, packages }: Offers): Map<string, FileVersion> {
  const all: [string, OfferFields][] = [
    ...plans.map(
      ({ planId, name, description, tier, amount, currency, features, monthlyCredits }): [string, OfferFields] => [
        planId,
        { kind: 'plan', name, amount, currency, popular: false, description, features, tier, monthlyCredits },
      ],
    ),
    ...packages.map(({ packageId, name, credits, bonus, price, currency }): [string, OfferFields] => [
      packageId,
      { kind: 'package', name, amount: price, currency, popular: false, credits, bonus },
    ]),
  ];
  return new Map(
    all.map(([offerId, fields], index) => [
      offerId,
      { fields, position: fields.kind === 'plan' ? index + 1 : index + 1 - plans.length },
    ]),
  );
}

/** Writes an offer from the file, which does not change the mark "Most Popular". */
async function writeFromFile(
  query: Query,
  before: StoredOffer | undefined,
  offerId: string,
  { fields, position }: FileVersion,
  stored: readonly StoredOffer[],
): Promise<void> {
  const isFirst = offerId === firstPopular && !stored.some((one) => one.kind === 'plan' && one.fields.popular);
  const popular = before?.fields.popular ?? isFirst;
  const wanted = { ...fields, popular };
  if (before?.active && before.position === position && isDeepStrictEqual(before.fields, wanted)) return;
  await writeStoredOffer(query, {
    kind: fields.kind,
    offerId,
    fields: wanted,
    active: true,
    position,
    revision: (before?.revision ?? 0) + 1,
    editedAt: undefined,
    editedBy: undefined,
    fileVersion: undefined,
  });
}

async function recordVersion(
  query: Query,
  offerId: string,
  version: FileVersion | undefined,
  kind = version?.fields.kind,
): Promise<void> {
  const [table, id] = kind === 'plan' ? ['plans', 'plan_id'] : ['credit_packages', 'package_id'];
  await query(`update ${table} set file_version = $2::jsonb where ${id} = $1`, [
    offerId,
    version ? JSON.stringify(version) : null,
  ]);
}

/** Finds ignored changes: none where the file has the offer as at the last start. */
function ignoredOf(before: StoredOffer, version: FileVersion | undefined, editedAt: Date): IgnoredChange[] {
  const { offerId, fields, fileVersion } = before;
  const offer = { offerId, name: fields.name, editedAt };
  if (!version) return [{ ...offer, changes: ['offers.json no longer has it'] }];
  if (!fileVersion || isDeepStrictEqual(fileVersion.fields, version.fields)) return [];
  const changes = changedFields(fileVersion.fields, version.fields);
  return changes.length === 0 ? [] : [{ ...offer, changes }];
}

function refuseConflicts(stored: readonly StoredOffer[], versions: ReadonlyMap<string, FileVersion>): void {
  const faults: string[] = [];
  const [currency] = [...versions.values()].map(({ fields }) => fields.currency);
  for (const { offerId, kind, fields, editedAt, active } of stored) {
    const inFile = versions.get(offerId);
    if (inFile && inFile.fields.kind !== kind && (editedAt || active))
      faults.push(
        `offers.json: the id ${offerId} is that of a ${kind} of this shop: give the ${inFile.fields.kind} another one`,
      );
    if (editedAt && active && currency !== undefined && fields.currency !== currency)
      faults.push(
        `offers.json: prices are in ${currency}, and ${offerId} was edited in the administration and is in ${fields.currency}. ` +
          `Archive it with "souk offers archive ${offerId}", or take the file's version again with "souk offers take-file ${offerId}"`,
      );
  }
  if (faults.length > 0) throw new ConfigError(faults);
}
