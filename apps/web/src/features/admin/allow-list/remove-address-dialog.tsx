import type { AllowedAddress } from '@souk/contract/admin/allowances.ts';
import { adminApi } from '../admin-api.ts';
import type { AddressDialogProps } from './add-address-dialog.tsx';
import { RemoveDialog } from './remove-dialog.tsx';

/** Asks before an address is taken off, and names the servers that stop. */
export function RemoveAddressDialog({ address, ...props }: AddressDialogProps & { address: AllowedAddress }) {
  const { entry, servers } = address;
  return (
    <RemoveDialog
      {...props}
      name={entry}
      servers={servers}
      remove={() => adminApi.removeAllowedAddress({ body: { entry } })}
    />
  );
}
