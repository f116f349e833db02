import type { McpService } from '@souk/contract/billing.ts';
import { useQuery } from '@tanstack/react-query';
import Boxes from 'lucide-react/icons/boxes';
import RotateCw from 'lucide-react/icons/rotate-cw';
import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { EmptyState } from '#ui/empty-state.tsx';
import { ErrorState } from '#ui/error-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { ListSkeleton } from '#ui/list-skeleton.tsx';
import { SectionHeading } from '#ui/section-heading.tsx';
import { Stat } from '#ui/stat.tsx';
import { useToast } from '#ui/use-toast.ts';
import { CancelRentalDialog, type RentedService } from '../cancel/cancel-rental-dialog.tsx';
import { myServicesQuery, subscriptionQuery } from '../queries.ts';
import { PurchaseDialog } from '../rent/purchase-dialog.tsx';
import { NotOffered } from '../tab/not-offered.tsx';
import { PastDue } from '../tab/past-due.tsx';
import { ServiceCard, type ServiceCardProps } from './service-card.tsx';
import { countServices } from './service-texts.ts';

export type MyServicesScreenProps = {
  userId: string;
  /** Of a card, from other features. */
  controls: (service: McpService) => Pick<ServiceCardProps, 'enable' | 'details'>;
};

/** The My Services tab: every service, and what the person can do with it. */
export function MyServicesScreen({ userId, controls }: MyServicesScreenProps) {
  const { data, isFetching, refetch } = useQuery(myServicesQuery(userId));
  const toast = useToast();
  const refresh = async () => {
    if ((await refetch()).isError) toast.error('Failed to refresh MCP servers');
  };
  const { data: owned } = useQuery(subscriptionQuery(userId));
  const counts = data && countServices(data.services);
  return (
    <section aria-labelledby="services-heading" className="flex flex-col gap-4">
      <SectionHeading
        id="services-heading"
        title="My MCP Services"
        text={counts && `${counts.active} of ${data.services.length} services active`}
        actions={
          <Button icon={<RotateCw aria-hidden size={16} />} loading={isFetching} onClick={() => void refresh()}>
            Refresh
          </Button>
        }
      />
      {owned && <PastDue userId={userId} owned={owned.subscription} />}
      {owned && <NotOffered owned={owned.subscription} />}
      {counts && data.services.length > 0 && (
        <Card padding="large">
          <dl className="grid grid-cols-3 gap-6">
            <Stat label="Active" value={counts.active} />
            <Stat label="Free" value={counts.free} />
            <Stat label="Paid" value={counts.paid} />
          </dl>
        </Card>
      )}
      <Services userId={userId} controls={controls} />
    </section>
  );
}

function Services({ userId, controls }: MyServicesScreenProps) {
  const list = useQuery(myServicesQuery(userId));
  const [buying, setBuying] = useState<McpService>();
  const [open, setOpen] = useState(false);
  const [ending, setEnding] = useState<RentedService>();
  const { data: owned } = useQuery(subscriptionQuery(userId));
  const statusOf = (id: string) => owned?.subscription.rentals.find(({ mcpId }) => mcpId === id)?.status;
  if (list.isPending) return <ListSkeleton label="Loading your services..." />;
  // what is known stays when it cannot be read again
  if (!list.data) {
    return (
      <ErrorState
        title="Error Loading Services"
        text="Failed to load your MCP services. Please try again."
        onRetry={() => void list.refetch()}
        retrying={list.isFetching}
      />
    );
  }
  const { services } = list.data;
  if (services.length === 0) {
    return (
      <EmptyState
        icon={<Boxes aria-hidden />}
        title="No MCP Services Found"
        text="You don't have any MCP services yet."
        actions={<LinkButton to="/marketplace">Browse Servers</LinkButton>}
      />
    );
  }
  return (
    <>
      <ul className="grid gap-4 md:grid-cols-2 lg:grid-cols-3">
        {services.map((service) => (
          <li key={service.id} className="min-w-0">
            <ServiceCard
              userId={userId}
              service={service}
              {...controls(service)}
              onPurchase={() => {
                setBuying(service);
                setOpen(true);
              }}
              onCancel={() =>
                setEnding({
                  id: service.id,
                  name: service.name,
                  endsAt: service.userAccess.expiresAt,
                  status: statusOf(service.id),
                })
              }
            />
          </li>
        ))}
      </ul>
      {buying && <PurchaseDialog userId={userId} service={buying} open={open} onClose={() => setOpen(false)} />}
      <CancelRentalDialog userId={userId} service={ending} onClose={() => setEnding(undefined)} />
    </>
  );
}
