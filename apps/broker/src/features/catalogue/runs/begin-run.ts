import { writeAudit, type AuditEntry } from '#platform/audit/audit-log.ts';
import type { Clock } from '#platform/clock.ts';
import type { ManifestActor } from '../manifests/manifest-versions.ts';
import type { CatalogueDb } from '../tables.ts';
import { findRunning, insertRun, type RunKind } from './run-store.ts';

type NewRun = { id: string; kind: RunKind; brokerId: string; by: ManifestActor; at: Date };

/** Stores a run, or joins the one of its kind that is under way. @returns the id of the run: `run.id` for a new one */
export async function insertOrJoinRun(db: CatalogueDb, run: NewRun, clock: Clock): Promise<string> {
  // the run that was under way may end between the two statements
  for (;;) {
    if (await insertRun(db, run)) return run.id;
    const joined = await joinRun(db, run, clock);
    if (joined !== undefined) return joined;
  }
}

async function joinRun(db: CatalogueDb, { kind, by }: NewRun, clock: Clock): Promise<string | undefined> {
  const run = await findRunning(db, kind);
  if (!run) return undefined;
  // the audit log names everyone who asked for the run, not only the first
  if ((run.startedBy ?? undefined) !== by.actorId) {
    const details = { kind, run: run.id };
    const { actorId, reason } = by;
    const entry: AuditEntry = { actorId, action: 'manifests.run-joined', subject: 'manifests', reason, details };
    await writeAudit(db, entry, new Date(clock.now()));
  }
  return run.id;
}
