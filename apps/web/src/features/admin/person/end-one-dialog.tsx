import { adminApi } from '../admin-api.ts';
import type { UserDialogProps } from '../users/actions/form-dialog.tsx';
import { UserActionDialog } from '../users/actions/user-action-dialog.tsx';

export type EndedOne = { kind: 'app' | 'browser' | 'token'; id: string; name: string };

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
/** Ways back for an active user. */
const ways = { app: ' The user can connect it again.', browser: ' The user can sign in again.', token: '' } as const;

/** Asks before an app is disconnected, a browser signed out or a token revoked. */
export function EndOneDialog({
  user,
  one,
  ...dialog
}: UserDialogProps & { user: { isActive: boolean }; one: EndedOne }) {
  const { verb, button, done, work } = texts[one.kind];
  return (
    <UserActionDialog
      {...dialog}
      user={user}
      work={work}
      reason={{ draft: `reason.${one.id}`, initial: '' }}
      title={`${verb} ${one.name}?`}
      submitLabel={button}
      variant="danger"
      change={(reason) =>
        one.kind === 'token'
          ? adminApi.revokePersonToken({ params: { id: user.id, tokenId: one.id }, body: { reason } })
          : adminApi.disconnectPersonApp({ params: { id: user.id, appId: one.id }, body: { reason } })
      }
      onDone={(_, toast) => toast.success(`${one.name} ${done}`)}
    >
      <p className="text-quiet">
        {consequences[one.kind]}
        {user.isActive && ways[one.kind]}
      </p>
    </UserActionDialog>
  );
}
