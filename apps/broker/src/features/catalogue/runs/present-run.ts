import type { ManifestRun, ManifestRunItem } from '@souk/contract/admin/manifest-runs.ts';
import { unansweredText } from '@souk/contract/unanswered-text.ts';
import type { WholeRun } from './create-manifest-runs.ts';
import { liveStatuses, type Run, type RunItem } from './run-store.ts';

/** Addresses by user id; deleted users have none. */
export type EmailsOf = (userIds: readonly string[]) => Promise<ReadonlyMap<string, string>>;

export function presentHead(run: Run, emails: ReadonlyMap<string, string>): Omit<ManifestRun, 'items'> {
  const { id, kind, status, startedBy, reason } = run;
  return {
    id,
    kind,
    status,
    startedAt: run.startedAt.toISOString(),
    endedAt: run.endedAt?.toISOString() ?? null,
    startedBy: startedBy === null ? null : { id: startedBy, email: emails.get(startedBy) ?? '[erased]' },
    reason,
  };
}

export async function presentRun({ run, items }: WholeRun, emailsOf: EmailsOf): Promise<ManifestRun> {
  const emails = await emailsOf(run.startedBy === null ? [] : [run.startedBy]);
  return { ...presentHead(run, emails), items: items.map((item) => presentItem(run, item)) };
}

export function presentItem({ kind }: Run, { serverId, name, version, status, message }: RunItem): ManifestRunItem {
  return {
    id: serverId,
    name,
    ...(kind === 'deploy-all' && { version }),
    status,
    ...(message !== null && { message }),
  };
}

/** Result of an ended run, for the calls that wait for it (specification part 2, section 7). */
export function resultOf({ run, items }: WholeRun): {
  done: number;
  failed: number;
  /** Includes, for deploy-all, each manifest that is live and does not answer. */
  errors: { id: string; message: string }[];
  runId: string;
} {
  const left = 'The process that worked on it ended, and no other could continue.';
  const errors = items.flatMap(({ serverId: id, status, message }) => {
    if (status === 'done') return [];
    const text =
      run.kind === 'reload' ? left : status === 'asking' ? unansweredText(left) : `Failed to deploy manifest: ${left}`;
    return [{ id, message: message ?? text }];
  });
  const done = items.filter(({ status }) => liveStatuses.includes(status)).length;
  return { done, failed: items.length - done, errors, runId: run.id };
}
