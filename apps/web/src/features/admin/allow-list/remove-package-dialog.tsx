import type { AllowedPackage } from '@souk/contract/admin/allowances.ts';
import { adminApi } from '../admin-api.ts';
import type { AddressDialogProps } from './add-address-dialog.tsx';
import { RemoveDialog } from './remove-dialog.tsx';

/** Asks before a package is taken off, and names the servers that stop. */
export function RemovePackageDialog({ item, ...props }: AddressDialogProps & { item: AllowedPackage }) {
  const { alias } = item.form;
  return (
    <RemoveDialog
      {...props}
      name={alias}
      servers={item.servers}
      remove={() => adminApi.removeAllowedPackage({ body: { alias } })}
    />
  );
}
