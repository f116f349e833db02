import type { OwnedStatus } from '@souk/contract/billing/billing.ts';
import { useQuery } from '@tanstack/react-query';
import { billingApi } from '../billing-api.ts';
import { keptByPlanText } from './cancelled-rental-text.ts';
import { myServicesQuery } from '../queries.ts';
import { cancellationText } from './cancel-subscription-dialog.tsx';
import { EndDialog } from './end-dialog.tsx';

export type RentedService = { id: string; name: string; endsAt: string | null; status?: OwnedStatus | undefined };

export type CancelRentalDialogProps = {
  userId: string;
  service: RentedService | undefined;
  onClose: () => void;
};

/** Asks, then cancels a rental, which ends with its paid period (spec part 2, sections 4 and 8). */
export function CancelRentalDialog({ userId, service, onClose }: CancelRentalDialogProps) {
  const { data: services } = useQuery({ ...myServicesQuery(userId), enabled: service !== undefined });
  const kept = (rented: RentedService) =>
    keptByPlanText({
      ...rented,
      plan: services?.services.find(({ id }) => id === rented.id)?.userAccess.plan ?? null,
    });
  return (
    <EndDialog
      userId={userId}
      thing={service}
      onClose={onClose}
      title={({ name }) => `Cancel the rental of ${name}?`}
      question={(service) => kept(service) ?? cancellationText(service.endsAt, service.status)}
      confirmLabel="Cancel rental"
      end={({ id, status }) =>
        billingApi.cancelRental({ params: { mcpId: id }, body: status === undefined ? {} : { shown: status } })
      }
      subject={({ name }) => `The rental of ${name}`}
      kept={kept}
      failure={() => 'Failed to cancel rental. Please try again or contact support.'}
    />
  );
}
