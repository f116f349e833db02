import type { OfferFields, PackageFields, PlanFields } from '@souk/contract/billing/offer-fields.ts';
import type { Tier } from '@souk/contract/tiers.ts';
import type { Query } from '#platform/db/database.ts';

type Kind = OfferFields['kind'];

/** What offers.json says of an offer. `position`: its place in the file, from 1. */
export type FileVersion = { fields: OfferFields; position: number };

/** A plan or a package with what only administrators see. */
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

type Row = {
  kind: Kind;
  offer_id: string;
  name: string;
  amount: number;
  currency: string;
  popular: boolean;
  description: string | null;
  features: string[] | null;
  tier: Tier | null;
  monthly_credits: number | null;
  credits: number | null;
  bonus: number | null;
  active: boolean;
  position: number;
  revision: number;
  edited_at: Date | null;
  edited_by: string | null;
  file_version: FileVersion | null;
};

const common = 'active, position, revision, edited_at, edited_by, file_version';
const all = `(
  select 'plan' as kind, plan_id as offer_id, name, amount, currency, popular, description, features, tier, monthly_credits,
    null::bigint as credits, null::bigint as bonus, ${common} from plans
  union all
  select 'package', package_id, name, price, currency, popular, null, null, null, null, credits, bonus, ${common}
    from credit_packages) as offers`;

/** Only one change of offers runs at a time, at all brokers: orders and marks depend on each other. */
export const lockOffers = (query: Query) => query(`select pg_advisory_xact_lock(hashtext('souk:offers'))`);

/**
 * All offers: plans before packages, those that are sold before archived ones, each in its order. An edited one stands before one
 * that the file has put into its place since.
 */
export async function readStoredOffers(query: Query): Promise<StoredOffer[]> {
  const { rows } = await query<Row>(
    `select * from ${all} order by kind = 'package', active desc, position, edited_at is null, offer_id`,
  );
  return rows.map(present);
}

export async function findStoredOffer(query: Query, offerId: string): Promise<StoredOffer | undefined> {
  const { rows } = await query<Row>(`select * from ${all} where offer_id = $1`, [offerId]);
  return rows[0] && present(rows[0]);
}

/** Writes an offer as it is given. @param at when an administrator edited it; undefined: it is as offers.json has it */
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

/** Takes the mark "Most Popular" from the others of a kind. @returns their ids */
export async function unmarkOthers(query: Query, kind: Kind, offerId: string): Promise<string[]> {
  const [table, id] = kind === 'plan' ? ['plans', 'plan_id'] : ['credit_packages', 'package_id'];
  const { rows } = await query<{ id: string }>(
    `update ${table} set popular = false, revision = revision + 1 where popular and ${id} <> $1 returning ${id} as id`,
    [offerId],
  );
  return rows.map((row) => row.id);
}

function present(row: Row): StoredOffer {
  return {
    kind: row.kind,
    offerId: row.offer_id,
    fields: fieldsOf(row),
    active: row.active,
    position: row.position,
    revision: row.revision,
    editedAt: row.edited_at ?? undefined,
    editedBy: row.edited_by ?? undefined,
    fileVersion: row.file_version ?? undefined,
  };
}

function fieldsOf(row: Row): PlanFields | PackageFields {
  const { name, amount, currency, popular } = row;
  const shared = { name, amount, currency, popular };
  if (row.kind === 'package') return { kind: 'package', ...shared, credits: row.credits ?? 0, bonus: row.bonus ?? 0 };
  return {
    kind: 'plan',
    ...shared,
    description: row.description ?? '',
    features: row.features ?? [],
    tier: row.tier ?? 'T0',
    monthlyCredits: row.monthly_credits ?? 0,
  };
}
