import type { OwnedStatus } from '@souk/contract/billing.ts';
import { billingApi } from '../billing-api.ts';
import { whatItMeans } from './cancel-subscription-dialog.tsx';
import { EndDialog } from './end-dialog.tsx';

export type RentedService = { id: string; name: string; endsAt: string | null; status?: OwnedStatus | undefined };

export type CancelRentalDialogProps = {
  userId: string;
  service: RentedService | undefined;
  onClose: () => void;
};

/** Asks, then ends a rental with its paid period (spec part 2, sections 4 and 8). */
export function CancelRentalDialog({ userId, service, onClose }: CancelRentalDialogProps) {
  return (
    <EndDialog
      userId={userId}
      thing={service}
      onClose={onClose}
      title={({ name }) => `Cancel the rental of ${name}?`}
      question={({ endsAt, status }) => whatItMeans(endsAt, status)}
      confirmLabel="Cancel rental"
      end={({ id }) => billingApi.cancelRental({ params: { mcpId: id } })}
      what={({ name }) => `The rental of ${name}`}
      failure={() => 'Failed to cancel rental. Please try again or contact support.'}
    />
  );
}
