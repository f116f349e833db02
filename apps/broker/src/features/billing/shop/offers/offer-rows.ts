import type { OfferFields } from '@souk/contract/billing/offer-fields.ts';
import type { Tier } from '@souk/contract/tiers.ts';
import type { Query } from '#platform/db/database.ts';
import { readRow, readRows } from '../../read-rows.ts';

type Kind = OfferFields['kind'];

/** An offer in offers.json. `position`: its place in the file, from 1. */
export type FileVersion = { fields: OfferFields; position: number };

/** A plan or a package with the facts that only administrators see. */
export type StoredOffer = {
  kind: Kind;
  offerId: string;
  fields: OfferFields;
  active: boolean;
  position: number;
  revision: number;
  editedAt: Date | undefined;
  editedBy: string | undefined;
  fileVersion: FileVersion | undefined;
};

const common = `active, position, revision, edited_at as "editedAt", edited_by as "editedBy", file_version as "fileVersion"`;
const selectOffers = `select * from (
  select 'plan' as kind, plan_id as "offerId", jsonb_build_object('kind', 'plan', 'name', name, 'amount', amount,
    'currency', currency, 'popular', popular, 'description', description, 'features', features, 'tier', tier,
    'monthlyCredits', monthly_credits) as fields, ${common} from plans
  union all
  select 'package', package_id, jsonb_build_object('kind', 'package', 'name', name, 'amount', price, 'currency', currency,
    'popular', popular, 'credits', credits, 'bonus', bonus), ${common} from credit_packages) as offers`;

/** Serializes changes of offers on all brokers: orders and marks depend on each other. */
export const lockOffers = (query: Query) => query(`select pg_advisory_xact_lock(hashtext('souk:offers'))`);

/**
 * Reads all offers: plans before packages, those on sale before archived ones, each in its order. An edited offer comes before
 * one that the file has put into the same position since.
 */
export const readStoredOffers = (query: Query): Promise<StoredOffer[]> =>
  readRows(query, `${selectOffers} order by kind = 'package', active desc, position, "editedAt" is null, "offerId"`);

export const findStoredOffer = (query: Query, offerId: string): Promise<StoredOffer | undefined> =>
  readRow(query, `${selectOffers} where "offerId" = $1`, [offerId]);

export type PlanFacts = { planId: string; name: string; tier: Tier; monthlyCredits: number };

/** Reads a plan, sold or archived. */
export const readPlan = (query: Query, planId: string): Promise<PlanFacts | undefined> =>
  readRow(
    query,
    'select plan_id as "planId", name, tier, monthly_credits as "monthlyCredits" from plans where plan_id = $1',
    [planId],
  );

export async function writeStoredOffer(query: Query, offer: StoredOffer): Promise<void> {
  const { offerId, fields, active, position, revision, editedAt, editedBy } = offer;
  const { name, amount, currency, popular } = fields;
  const shared = [
    offerId,
    name,
    amount,
    currency,
    popular,
    active,
    position,
    revision,
    editedAt ?? null,
    editedBy ?? null,
  ];
  if (fields.kind === 'package') {
    await query(
      `insert into credit_packages (package_id, name, price, currency, popular, active, position, revision, edited_at,
         edited_by, credits, bonus) values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12)
       on conflict (package_id) do update set name = excluded.name, price = excluded.price, currency = excluded.currency,
         popular = excluded.popular, active = excluded.active, position = excluded.position, revision = excluded.revision,
         edited_at = excluded.edited_at, edited_by = excluded.edited_by, credits = excluded.credits, bonus = excluded.bonus`,
      [...shared, fields.credits, fields.bonus],
    );
    return;
  }
  await query(
    `insert into plans (plan_id, name, amount, currency, popular, active, position, revision, edited_at, edited_by,
       description, features, tier, monthly_credits, period)
     values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12::jsonb, $13, $14, 'month')
     on conflict (plan_id) do update set name = excluded.name, amount = excluded.amount, currency = excluded.currency,
       popular = excluded.popular, active = excluded.active, position = excluded.position, revision = excluded.revision,
       edited_at = excluded.edited_at, edited_by = excluded.edited_by, description = excluded.description,
       features = excluded.features, tier = excluded.tier, monthly_credits = excluded.monthly_credits`,
    [...shared, fields.description, JSON.stringify(fields.features), fields.tier, fields.monthlyCredits],
  );
}

/** Removes the mark "Most Popular" from the other offers of a kind. */
export async function unmarkOthers(query: Query, kind: Kind, offerId: string): Promise<void> {
  const [table, id] = kind === 'plan' ? ['plans', 'plan_id'] : ['credit_packages', 'package_id'];
  await query(`update ${table} set popular = false, revision = revision + 1 where popular and ${id} <> $1`, [offerId]);
}
