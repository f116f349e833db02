import type { ManifestRun } from '@souk/contract/admin/manifest-runs.ts';
import { sql } from 'kysely';
import { arrayLiteral } from '#platform/db/array-literal.ts';
import type { ManifestActor } from '../manifests/manifest-versions.ts';
import type { CatalogueDb, Tx } from '../tables.ts';

/**
 * Notices to brokers: `started` for a run that may need a broker; `changed` and `ended` for the brokers that wait for a
 * run.
 */
export const runChannel = 'souk_manifest_runs';
export const runNotice = (word: 'started' | 'changed' | 'ended', runId: string): string => `${word} ${runId}`;

/** Runs kept in addition to those under way: as many as the list shows. */
const keptRuns = 20;

export type RunKind = ManifestRun['kind'];
export type Run = {
  id: string;
  kind: RunKind;
  status: ManifestRun['status'];
  via: ManifestActor['via'];
  /** null: the operator's command. */
  startedBy: string | null;
  reason: string | null;
  startedAt: Date;
  endedAt: Date | null;
  /** Grows with each change of its manifests. */
  changes: number;
};
export type RunItem = {
  serverId: string;
  /** Name in the manifest of this version. */
  name: string;
  version: string;
  status: ManifestRun['items'][number]['status'];
  message: string | null;
  /** Number of its last change. */
  change: number;
};
/** Statuses of a live manifest in a deploy-all. In a reload, only the last one occurs. */
export const liveStatuses: readonly RunItem['status'][] = ['asking', 'unanswered', 'done'];
export type ItemChange = Pick<RunItem, 'serverId' | 'status'> & { message?: string | undefined };
/** A run that this broker processes. */
export type OwnRun = { runId: string; brokerId: string };

/** Thrown when another broker has taken the run over, or the run has ended: this broker's write was not stored. */
export class RunLostError extends Error {}

const columns = sql.raw(
  'id, kind, status, via, started_by as "startedBy", reason, started_at as "startedAt", ended_at as "endedAt", changes',
);

/**
 * Stores a run of this broker with its manifests: the deployed ones, or those that administrators staged.
 * @returns false if a run of its kind is under way
 */
export async function insertRun(
  db: CatalogueDb,
  run: { id: string; kind: RunKind; brokerId: string; by: ManifestActor; at: Date },
): Promise<boolean> {
  const { id, kind, brokerId, by, at } = run;
  const chosen = kind === 'reload' ? sql`m.status = 'deployed'` : sql`m.status = 'staging' and m.origin = 'admin'`;
  const { rows } = await sql`
    with run as (
      insert into manifest_runs (id, kind, via, started_by, reason, started_at, broker_id)
      values (${id}, ${kind}, ${by.via}, ${by.actorId ?? null}, ${by.reason ?? null}, ${at}, ${brokerId})
      on conflict (kind) where status = 'running' do nothing returning id),
    items as (
      insert into manifest_run_items (run_id, server_id, version)
      select run.id, m.server_id, m.version from run, manifest_versions m where ${chosen}),
    old as (
      delete from manifest_runs where id in (
        select r.id from manifest_runs r, run where r.status <> 'running'
        order by r.started_at desc, r.id desc offset ${keptRuns - 1}))
    select pg_notify(${runChannel}, ${runNotice('started', id)}) from run`.execute(db);
  return rows.length > 0;
}

export async function findRunning(db: CatalogueDb, kind: RunKind): Promise<Run | undefined> {
  const { rows } = await sql<Run>`
    select ${columns} from manifest_runs where kind = ${kind} and status = 'running'`.execute(db);
  return rows[0];
}

/**
 * Finds the runs under way, and whether each lacks a broker: its broker released it, or has sent no heartbeat for
 * `lifeMs`.
 */
export async function findUnderWay(db: CatalogueDb, lifeMs: number): Promise<{ run: Run; isLeft: boolean }[]> {
  const { rows } = await sql<Run & { isLeft: boolean }>`
    select ${columns}, ${isLeft(lifeMs)} as "isLeft" from manifest_runs where status = 'running'`.execute(db);
  return rows.map(({ isLeft: left, ...run }) => ({ run, isLeft: left }));
}

/** Whether a run lacks a broker, by the database's clock, which brokers share. */
const isLeft = (lifeMs: number) =>
  sql`(broker_id is null or beat_at <= clock_timestamp() - ${lifeMs} * interval '1 ms')`;

/**
 * Takes over a run without a broker.
 * @param how.isOwnDeath whether to count a crash if this broker itself had the run last
 * @returns number of brokers that crashed while they processed it; undefined if another broker was faster
 */
export async function claimRun(
  db: CatalogueDb,
  { runId, brokerId }: OwnRun,
  { lifeMs, isOwnDeath }: { lifeMs: number; isOwnDeath: boolean },
): Promise<number | undefined> {
  const { rows } = await sql<{ takeovers: number }>`
    with run as (
      update manifest_runs set broker_id = ${brokerId}, beat_at = clock_timestamp(), changes = changes + 1,
        takeovers = takeovers + (broker_id is not null and (broker_id <> ${brokerId} or ${isOwnDeath}))::int
      where id = ${runId} and status = 'running' and ${isLeft(lifeMs)} returning id, changes, takeovers),
    items as (
      update manifest_run_items i set status = 'queued', change = run.changes
      from run where i.run_id = run.id and i.status = 'working')
    select takeovers from run`.execute(db);
  return rows[0]?.takeovers;
}

/** Renews the heartbeat of runs. @returns those that this broker still has */
export async function renewHeartbeats(db: CatalogueDb, brokerId: string, runIds: readonly string[]): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`
    update manifest_runs set beat_at = clock_timestamp()
    where id = any(${arrayLiteral(runIds)}::uuid[]) and broker_id = ${brokerId} and status = 'running' returning id`.execute(
    db,
  );
  return rows.map(({ id }) => id);
}

/** Releases a run, so that any broker may claim it, this one included. */
export async function releaseRun(db: CatalogueDb, { runId, brokerId }: OwnRun): Promise<void> {
  await sql`
    update manifest_runs set broker_id = null
    where id = ${runId} and broker_id = ${brokerId} and status = 'running'`.execute(db);
}

/** Releases this broker's unfinished runs, and notifies the other brokers. */
export async function releaseRuns(db: CatalogueDb, brokerId: string): Promise<void> {
  await sql`
    with run as (
      update manifest_runs set broker_id = null where broker_id = ${brokerId} and status = 'running' returning id)
    select pg_notify(${runChannel}, 'started ' || id) from run`.execute(db);
}

/**
 * Stores changes of manifests under one change number. A late 'working' does not replace a newer status.
 * @throws RunLostError
 */
export async function writeItems(
  db: CatalogueDb | Tx,
  { runId, brokerId }: OwnRun,
  changes: readonly ItemChange[],
): Promise<void> {
  const column = (pick: (change: ItemChange) => string | undefined) => arrayLiteral(changes.map(pick));
  const { rows } = await sql`
    with run as (
      update manifest_runs set changes = changes + 1
      where id = ${runId} and broker_id = ${brokerId} and status = 'running' returning changes),
    items as (
      update manifest_run_items i set status = u.status, message = u.message, change = run.changes
      from run, unnest(
        ${column(({ serverId }) => serverId)}::text[], ${column(({ status }) => status)}::text[],
        ${column(({ message }) => message)}::text[]) as u (server_id, status, message)
      where i.run_id = ${runId} and i.server_id = u.server_id and i.status in ('queued', 'working', 'asking')
        and (u.status <> 'working' or i.status = 'queued'))
    select changes from run`.execute(db);
  if (rows.length === 0) throw new RunLostError();
}

/** @throws RunLostError */
export async function endRun(
  tx: Tx,
  { runId, brokerId }: OwnRun,
  status: 'done' | 'interrupted',
  at: Date,
): Promise<void> {
  const { rows } = await sql`
    with run as (
      update manifest_runs set status = ${status}, ended_at = ${at}
      where id = ${runId} and broker_id = ${brokerId} and status = 'running' returning id)
    select pg_notify(${runChannel}, ${runNotice('ended', runId)}) from run`.execute(tx);
  if (rows.length === 0) throw new RunLostError();
}

export async function findRun(db: CatalogueDb, runId: string): Promise<Run | undefined> {
  const { rows } = await sql<Run>`select ${columns} from manifest_runs where id = ${runId}`.execute(db);
  return rows[0];
}

/** Finds a run's manifests that changed after this change number, by id. */
export async function findItems(db: CatalogueDb | Tx, runId: string, after = -1): Promise<RunItem[]> {
  const { rows } = await sql<RunItem>`
    select i.server_id as "serverId", coalesce(m.name, i.server_id) as name, i.version, i.status, i.message, i.change
    from manifest_run_items i left join manifest_versions m using (server_id, version)
    where i.run_id = ${runId} and i.change > ${after} order by i.server_id collate "C"`.execute(db);
  return rows;
}

export type CountedRun = { run: Run; total: number; done: number; failed: number };

export async function listRuns(db: CatalogueDb): Promise<CountedRun[]> {
  const { rows } = await sql<Run & { total: number; done: number; failed: number }>`
    select ${columns}, total, done, failed from manifest_runs r, lateral (
      select count(*)::int as total, (count(*) filter (where i.status in ('done', 'unanswered')))::int as done,
        (count(*) filter (where i.status = 'failed'))::int as failed
      from manifest_run_items i where i.run_id = r.id) counted
    order by r.started_at desc, r.id desc limit ${keptRuns}`.execute(db);
  return rows.map(({ total, done, failed, ...run }) => ({ run, total, done, failed }));
}

/** Finds the reload that was started last, whether it has ended or not. */
export async function newestReload(db: CatalogueDb): Promise<string | undefined> {
  const { rows } = await sql<{ id: string }>`
    select id from manifest_runs where kind = 'reload' order by started_at desc, id desc limit 1`.execute(db);
  return rows[0]?.id;
}
