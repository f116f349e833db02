import type { McpService } from '@souk/contract/billing/billing.ts';
import { useQuery } from '@tanstack/react-query';
import Boxes from 'lucide-react/icons/boxes';
import RotateCw from 'lucide-react/icons/rotate-cw';
import { useState } from 'react';
import { Button } from '#ui/button.tsx';
import { Card } from '#ui/card.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { ListSkeleton } from '#ui/state/list-skeleton.tsx';
import { Pagination } from '#ui/pagination.tsx';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { Stat } from '#ui/picture/stat.tsx';
import { useToast } from '#ui/overlay/use-toast.ts';
import type { ServicesSearch } from '#web/navigation/services-search.ts';
import { LoadError } from '#web/loading/load-error.tsx';
import { CancelRentalDialog, type RentedService } from '../cancel/cancel-rental-dialog.tsx';
import { myServicesQuery, subscriptionQuery } from '../queries.ts';
import { PurchaseDialog } from '../rent/purchase-dialog.tsx';
import { NotOffered } from '../tab/not-offered.tsx';
import { PastDue } from '../tab/past-due.tsx';
import { Rentals } from '../tab/rentals.tsx';
import { findServices } from './find-services.ts';
import { ServiceCard, type ServiceCardProps } from './service-card.tsx';
import { ServiceSearch } from './service-search.tsx';
import { countServices } from './service-texts.ts';

export type MyServicesScreenProps = {
  userId: string;
  search: ServicesSearch;
  onSearch: (next: ServicesSearch) => void;
  /** Parts of a card from other features. */
  controls: (service: McpService) => Pick<ServiceCardProps, 'enable' | 'details' | 'account'>;
  /** Services, by id, that need an account which the user has not connected. */
  missingAccounts: { has(serverId: string): boolean };
  /** Missing accounts are still loading; they would move the list when they appear. */
  isLoading: boolean;
};

/** The My Services tab: every service, and what the user can do with it. */
export function MyServicesScreen({
  userId,
  search,
  onSearch,
  controls,
  missingAccounts,
  isLoading,
}: MyServicesScreenProps) {
  const { data, isFetching, refetch } = useQuery(myServicesQuery(userId));
  const toast = useToast();
  const refresh = async () => {
    if ((await refetch()).isError) toast.error('Failed to refresh MCP servers');
  };
  const { data: owned } = useQuery(subscriptionQuery(userId));
  const counts = data && !isLoading && countServices(data.services, missingAccounts);
  return (
    <TitledSection
      id="services-heading"
      title="My MCP Services"
      text={counts ? `${counts.active} of ${data.services.length} services active` : undefined}
      actions={
        <Button icon={<RotateCw aria-hidden size={16} />} loading={isFetching} onClick={() => void refresh()}>
          Refresh
        </Button>
      }
    >
      {owned && <PastDue userId={userId} owned={owned.subscription} />}
      {owned && <NotOffered owned={owned.subscription} />}
      {counts && data.services.length > 0 && (
        <Card padding="large">
          <dl className="grid grid-cols-3 gap-6">
            <Stat label="Active" value={counts.active} />
            <Stat label="Free" value={counts.free} />
            <Stat label="Paid" value={counts.paid} />
          </dl>
          <Uncounted {...counts} />
        </Card>
      )}
      {owned && (
        <Rentals
          userId={userId}
          rentals={owned.subscription.rentals.filter(({ isOffered }) => !isOffered)}
          title="Rented, but no longer offered"
        />
      )}
      <Services userId={userId} search={search} onSearch={onSearch} controls={controls} isLoading={isLoading} />
    </TitledSection>
  );
}

/** Mentions the services that none of the three counters includes. */
function Uncounted({
  tried,
  waiting,
  failing,
}: Pick<ReturnType<typeof countServices>, 'tried' | 'waiting' | 'failing'>) {
  const are = (count: number) => (count === 1 ? '1 service is' : `${count} services are`);
  const texts = [
    tried > 0 && `${are(tried)} on trial, which counts as neither free nor paid.`,
    waiting > 0 && `${are(waiting)} switched on, but not active until you connect your account there.`,
    failing > 0 && `${are(failing)} switched on, but not active until the service works again.`,
  ].filter(Boolean);
  return texts.length > 0 && <p className="mt-3 text-[0.8125rem] text-quiet">{texts.join(' ')}</p>;
}

/** Divisible by two and three, so that it fills rows of either length. */
const servicesOnPage = 24;

/** Returns the matches as of the last change of the search, so that a card that is switched off stays in its place. */
function useFound(services: readonly McpService[], { q = '', show }: ServicesSearch): McpService[] {
  const key = `${services.length} ${show} ${q}`;
  const read = () => ({ key, ids: findServices(services, q, show).map(({ id }) => id) });
  const [kept, setKept] = useState(read);
  const current = kept.key === key ? kept : read();
  if (current !== kept) setKept(current);
  const byId = new Map(services.map((service) => [service.id, service]));
  return current.ids.flatMap((id) => byId.get(id) ?? []);
}

function Services({ userId, search, onSearch, controls, isLoading }: Omit<MyServicesScreenProps, 'missingAccounts'>) {
  // a service may go down at any time
  const list = useQuery({ ...myServicesQuery(userId), refetchInterval: 60_000 });
  const [buying, setBuying] = useState<McpService>();
  const [open, setOpen] = useState(false);
  const [ending, setEnding] = useState<RentedService>();
  const { data: owned } = useQuery(subscriptionQuery(userId));
  const found = useFound(list.data?.services ?? [], search);
  const pageCount = Math.max(1, Math.ceil(found.length / servicesOnPage));
  const page = Math.min(search.page ?? 1, pageCount);
  const statusOf = (id: string) => owned?.subscription.rentals.find(({ mcpId }) => mcpId === id)?.status;
  if (list.isPending || isLoading) return <ListSkeleton label="Loading your services..." isScreen />;
  // cached data stays if it cannot be refetched
  if (!list.data) {
    const text = 'Failed to load your MCP services. Please try again.';
    return <LoadError title="Error Loading Services" text={text} query={list} />;
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
      <ServiceSearch search={search} onSearch={onSearch} />
      {found.length === 0 && (
        <EmptyState
          icon={<Boxes aria-hidden />}
          title="No matching services"
          text="Search for another word, or show all services."
          actions={<Button onClick={() => onSearch({})}>Show all services</Button>}
        />
      )}
      <ul aria-label="My services" className="grid gap-4 md:grid-cols-2 lg:grid-cols-3">
        {found.slice((page - 1) * servicesOnPage, page * servicesOnPage).map((service) => (
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
      <Pagination
        label="My services"
        page={page}
        pageCount={pageCount}
        onChange={(next) => onSearch({ ...search, page: next })}
      />
      {buying && <PurchaseDialog userId={userId} service={buying} open={open} onClose={() => setOpen(false)} />}
      <CancelRentalDialog userId={userId} service={ending} onClose={() => setEnding(undefined)} />
    </>
  );
}
