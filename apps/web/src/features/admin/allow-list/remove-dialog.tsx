import type { AllowanceList } from '@souk/contract/admin/allowances.ts';
import { RemovalDialog } from '../removal-dialog.tsx';
import type { AllowListDialogProps } from './add-address-dialog.tsx';
import { allowancesQuery } from './allow-list-queries.ts';

/** Asks before an entry is removed from the allow list, and names the servers that stop. */
export function RemoveDialog({
  name,
  servers,
  userId,
  ...props
}: AllowListDialogProps & {
  name: string;
  servers: readonly string[];
  remove: () => Promise<AllowanceList>;
}) {
  const { queryKey } = allowancesQuery(userId);
  return (
    <RemovalDialog {...props} name={name} queryKey={queryKey} removed={`${name} is no longer allowed.`}>
      {servers.length === 0
        ? 'No deployed server uses it.'
        : `${servers.join(', ')} ${servers.length === 1 ? 'stops' : 'stop'} working for everyone. Running calls fail.`}
    </RemovalDialog>
  );
}
