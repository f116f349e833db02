import { adminApi } from '../admin-api.ts';
import type { UserDialogProps } from '../users/actions/form-dialog.tsx';
import { UserActionDialog } from '../users/actions/user-action-dialog.tsx';

export type EndedAccess = { kind: 'app' | 'browser' | 'token'; id: string; name: string };

const texts = {
  app: { verb: 'Disconnect', button: 'Disconnect app', done: 'is disconnected.', work: 'disconnect' },
  browser: { verb: 'Sign out', button: 'Sign out browser', done: 'is signed out.', work: 'disconnect' },
  token: { verb: 'Revoke', button: 'Revoke token', done: 'is revoked.', work: 'revoke' },
} as const;

const consequences = {
  app: 'Its access ends immediately, and running calls end.',
  browser: 'It is signed out immediately.',
  token: 'Anything using it stops working immediately. This cannot be undone.',
} as const;
/** How an active user regains the access. */
const waysBack = {
  app: ' The user can connect it again.',
  browser: ' The user can sign in again.',
  token: '',
} as const;

/** Asks before an app is disconnected, a browser signed out or a token revoked. */
export function EndAccessDialog({
  user,
  ended,
  ...dialog
}: UserDialogProps & { user: { isActive: boolean }; ended: EndedAccess }) {
  const { verb, button, done, work } = texts[ended.kind];
  return (
    <UserActionDialog
      {...dialog}
      user={user}
      work={work}
      reason={{ draft: `reason.${ended.id}`, initial: '' }}
      title={`${verb} ${ended.name}?`}
      submitLabel={button}
      variant="danger"
      change={(reason) =>
        ended.kind === 'token'
          ? adminApi.revokePersonToken({ params: { id: user.id, tokenId: ended.id }, body: { reason } })
          : adminApi.disconnectPersonApp({ params: { id: user.id, appId: ended.id }, body: { reason } })
      }
      onDone={(_, toast) => toast.success(`${ended.name} ${done}`)}
    >
      <p className="text-quiet">
        {consequences[ended.kind]}
        {user.isActive && waysBack[ended.kind]}
      </p>
    </UserActionDialog>
  );
}
