import { SoukError } from '#platform/errors.ts';
import type { ManifestHead } from './manifest-heads.ts';
import { revisionOf, type LastChange, type StaleWriteError } from './revision.ts';

/** Returns an error that explains a stale write to its sender. @param by user id of the sender */
export async function explainStaleWrite(
  { stored: { serverId, heads, last } }: StaleWriteError,
  by: string | undefined,
  emailsOf: (userIds: readonly string[]) => Promise<ReadonlyMap<string, string>>,
): Promise<SoukError> {
  const versionIn = (status: ManifestHead['status']) => heads.find((head) => head.status === status)?.version ?? null;
  const actorId = last?.actorId ?? undefined;
  const email = actorId === undefined ? undefined : (await emailsOf([actorId])).get(actorId);
  const what = last ? `${actorOf(last, by, email)} ${actionOf(last)}` : 'it has never been staged or deployed';
  return new SoukError('changed_since_shown', {
    message: `${serverId} has changed since it was shown to you: ${what}. Reload it before you change it.`,
    current: {
      revision: revisionOf(heads),
      deployedVersion: versionIn('deployed'),
      stagedVersion: versionIn('staging'),
      changedBy: email ?? null,
      changedAt: last?.at.toISOString() ?? null,
    },
  });
}

function actorOf({ actorId, via }: LastChange, by: string | undefined, email: string | undefined): string {
  if (actorId === null) return via === 'command' ? "the operator's command" : 'the start of this installation';
  if (actorId === by) return 'you, in another window,';
  return email ?? 'an administrator whose account is deleted';
}

function actionOf({ action, version }: LastChange): string {
  switch (action) {
    case 'manifest.staged':
      return `staged version ${version}`;
    case 'manifest.deployed':
      return `deployed version ${version}`;
    case 'manifest.undeployed':
      return 'took it out of the shop';
    default:
      return 'deleted it';
  }
}
