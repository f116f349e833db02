import type { NeededSecret, UnusedSecret } from '@souk/contract/admin/secrets.ts';
import { adminApi } from '../../admin-api.ts';
import { RemovalDialog } from '../../removal-dialog.tsx';
import { secretsQuery } from '../server-queries.ts';
import type { SecretDialogProps } from './set-secret-dialog.tsx';

export function RemoveSecretDialog({
  secret,
  userId,
  serverId,
  ...props
}: SecretDialogProps & { secret: NeededSecret | UnusedSecret }) {
  const { kind, name, place } = secret;
  const isUsed = 'state' in secret && secret.state === 'set';
  const { queryKey } = secretsQuery(userId, serverId);
  return (
    <RemovalDialog
      {...props}
      name={name}
      queryKey={queryKey}
      removed={`${name} is removed.`}
      remove={() => adminApi.removeServerSecret({ params: { id: serverId }, body: { kind, name, place } })}
    >
      {isUsed
        ? 'The server stops working for everyone until a value is entered again. Running calls finish.'
        : 'It isn’t used. Nothing stops.'}{' '}
      We can’t restore the value.
    </RemovalDialog>
  );
}
