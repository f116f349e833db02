import { actorOf, operatorOf, type DecidedBy } from '#platform/audit/decided-by.ts';
import type { RentalPeriod } from '@souk/contract/admin/billing.ts';
import { utcDayText } from '@souk/contract/utc-day.ts';
import type { CatalogueServer } from '#features/catalogue/index.ts';
import { writeAuditWith } from '#platform/audit/audit-log.ts';
import type { Query } from '#platform/db/database.ts';
import { SoukError } from '#platform/errors.ts';
import { isRunningSql, runningValues } from '../entitlement/running-sql.ts';
import { lockUser, type AdministrationParts } from './administration-parts.ts';
import { endOfPeriod } from './periods.ts';

/** Access to give: a plan for a month, the rental of a server for a period, or a server permanently. */
export type WantedAccess = {
  type: 'subscription' | 'rental' | 'purchase';
  /** Id of the plan or the server. */
  mcpId: string;
  period?: RentalPeriod | undefined;
  features?: readonly string[] | undefined;
};

type Named = { id: string; name: string; features: readonly string[] };

/**
 * Gives access without a payment, with an audit row. It ends by the clock, like paid access.
 * @throws SoukError not_found, plan_not_found, free_plan; has_access where the user has exactly this already
 */
export async function giveAccess(
  parts: AdministrationParts,
  userId: string,
  wanted: WantedAccess,
  by: DecidedBy,
): Promise<{ id: string; endsAt: Date | undefined }> {
  const { db, access, livemode, clock, uuid } = parts;
  const what = wanted.type === 'subscription' ? await findPlan(parts, wanted.mcpId) : findServer(parts, wanted.mcpId);
  const nowMs = clock.now();
  const endsAt = wanted.type === 'purchase' ? undefined : endOfPeriod(nowMs, wanted.period ?? 'monthly');
  const id = uuid();
  await db.transaction(async (query) => {
    await lockUser(parts, query, userId);
    // the second of two concurrent clicks waits here, and then finds what the first one gave
    await query(`select pg_advisory_xact_lock(hashtextextended($1, 0))`, [`access:${userId}`]);
    await refuseOwned(query, { userId, livemode, nowMs }, wanted.type, what);
    const row = { id, userId, livemode, startsAt: new Date(nowMs), endsAt };
    if (wanted.type === 'subscription') await insertPlan(query, row, what.id);
    else await insertServer(query, row, what, { kind: wanted.type, period: wanted.period ?? 'monthly' });
    const { type } = wanted;
    const endsAtText = endsAt?.toISOString() ?? null;
    const details = { id, type, of: what.id, endsAt: endsAtText, sandbox: !livemode, ...operatorOf(by) };
    const entry = {
      actorId: actorOf(by),
      action: 'access.given' as const,
      subject: userId,
      reason: by.reason,
      details,
    };
    await writeAuditWith(query, entry, new Date(nowMs));
  });
  await access.announce(userId);
  return { id, endsAt };

  function findServer({ catalogue }: AdministrationParts, serverId: string): Named {
    const server: CatalogueServer | undefined = catalogue.snapshot().byId.get(serverId);
    if (!server) throw new SoukError('not_found', { message: `There is no server ${serverId}` });
    return { id: server.id, name: server.manifest.name, features: wanted.features ?? server.manifest.features };
  }
}

async function findPlan({ offers }: AdministrationParts, planId: string): Promise<Named> {
  const plans = await offers.plans();
  const plan = plans.find((one) => one.planId === planId);
  if (!plan) {
    const known = plans.filter(({ tier }) => tier !== 'T0').map((one) => one.planId);
    throw new SoukError('plan_not_found', {
      message: `There is no plan ${planId}. The plans are: ${known.join(', ')}`,
    });
  }
  if (plan.tier === 'T0') throw new SoukError('free_plan', { message: 'Everyone has the free plan.' });
  return { id: plan.planId, name: `${plan.name} plan`, features: [] };
}

const running = isRunningSql({ now: '$4', renewedSince: '$5' });

async function refuseOwned(
  query: Query,
  { userId, livemode, nowMs }: { userId: string; livemode: boolean; nowMs: number },
  type: WantedAccess['type'],
  { id, name }: Named,
): Promise<void> {
  const where = `where user_id = $1 and livemode = $2 and ${running}`;
  const { rows } = await query<{ period_ends_at: Date | null }>(
    type === 'subscription'
      ? `select period_ends_at from subscriptions ${where} and plan_id = $3`
      : `select period_ends_at from access_grants ${where} and server_id = $3 and kind = '${type}'`,
    [userId, livemode, id, ...runningValues(nowMs)],
  );
  const [owned] = rows;
  if (!owned) return;
  const until = owned.period_ends_at ? ` until ${utcDayText(owned.period_ends_at.getTime())}` : '';
  throw new SoukError('has_access', { message: `This user already has ${name}${until}. Remove it first.` });
}

type Row = { id: string; userId: string; livemode: boolean; startsAt: Date; endsAt: Date | undefined };

async function insertPlan(query: Query, row: Row, planId: string): Promise<void> {
  await query(
    `insert into subscriptions (id, user_id, livemode, plan_id, source, started_at, period_ends_at)
     values ($1, $2, $3, $4, 'administrator', $5, $6)`,
    [row.id, row.userId, row.livemode, planId, row.startsAt, row.endsAt ?? null],
  );
}

async function insertServer(
  query: Query,
  row: Row,
  { id: serverId, features }: Named,
  { kind, period }: { kind: 'rental' | 'purchase'; period: RentalPeriod },
): Promise<void> {
  await query(
    `insert into access_grants
       (id, user_id, livemode, server_id, kind, source, period, features, started_at, period_ends_at)
     select id, "userId", livemode, "serverId", kind, 'administrator', case kind when 'rental' then period end, features,
       "startsAt", "endsAt"
     from jsonb_to_record($1::jsonb) as g(id uuid, "userId" uuid, livemode boolean, "serverId" text, kind text, period text,
       features jsonb, "startsAt" timestamptz, "endsAt" timestamptz)`,
    [JSON.stringify({ ...row, serverId, kind, period, features })],
  );
}
