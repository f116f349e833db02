import { useQuery } from '@tanstack/react-query';
import { formatCount } from '#ui/text/amount.ts';
import { Button } from '#ui/button.tsx';
import { DelayedFallback } from '#ui/state/delayed-fallback.tsx';
import { Dialog } from '#ui/overlay/dialog.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { ErrorState } from '#ui/state/error-state.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { Skeleton } from '#ui/state/skeleton.tsx';
import { StatusBadge } from '#ui/state/status-badge.tsx';
import { config, sells } from '#web/config.ts';
import { failureText } from '#web/texts/failure-text.ts';
import { serverQuery } from '#web/loading/server-query.ts';
import { toolFigure } from '#web/texts/tools-that-ask.ts';
import { healthQuery } from './queries.ts';
import { PriceLine } from './price-line.tsx';
import { callCost, noToolsText } from './server-texts.ts';
import { serviceOf, type Service } from './service/service-of.ts';

export type ServerDetailsDialogProps = {
  server: { serverId: string; displayName: string; displayDescription: string };
  open: boolean;
  onClose: () => void;
};

/** The details of a server without leaving the page: what it offers, its status and the broker's, its tools. */
export function ServerDetailsDialog({ server, open, onClose }: ServerDetailsDialogProps) {
  const { serverId, displayName, displayDescription } = server;
  const details = useQuery({ ...serverQuery(serverId), enabled: open });
  const health = useQuery({ ...healthQuery, enabled: open });
  const failed = [details, health].find(({ isError }) => isError);
  return (
    <Dialog
      open={open}
      onOpenChange={onClose}
      title={displayName}
      description={displayDescription}
      footer={
        <>
          <Button onClick={onClose}>Close</Button>
          <LinkButton variant="primary" to="/service/$serviceId" params={{ serviceId: serverId }} onClick={onClose}>
            Open service
          </LinkButton>
        </>
      }
    >
      {failed ? (
        <ErrorState
          title="Error Loading Details"
          text={failureText(failed.error)}
          retrying={details.isFetching || health.isFetching}
          onRetry={() => void Promise.all([details.refetch(), health.refetch()])}
        />
      ) : details.data && health.data ? (
        <Details service={serviceOf(details.data)} isHealthy={health.data.status === 'healthy'} />
      ) : (
        <DelayedFallback label="Loading details…">
          <Skeleton className="h-5 w-40" />
          <Skeleton className="mt-4 h-24 w-full" />
        </DelayedFallback>
      )}
    </Dialog>
  );
}

function Details({ service, isHealthy }: { service: Service; isHealthy: boolean }) {
  const { server, tools, prompts, resources } = service;
  const counts = [
    ['Tools', toolFigure(server)],
    ...(prompts.length > 0 ? [['Prompts', formatCount(prompts.length)]] : []),
    ...(resources.length > 0 ? [['Resources', formatCount(resources.length)]] : []),
  ];
  return (
    // focusable because it scrolls; the margin keeps the space above it when it gets the focus
    <section aria-label={`What ${server.displayName} offers`} tabIndex={0} className="scroll-mt-4 space-y-4">
      <div className="flex flex-wrap items-center gap-x-4 gap-y-2">
        <StatusBadge status={server.status} />
        {!isHealthy && <span className="text-quiet">{config.brandName} is starting.</span>}
        {counts.map(([name, count]) => (
          <span key={name} className="text-quiet tabular-nums">
            {name} <span className="font-medium text-text">{count}</span>
          </span>
        ))}
      </div>
      <PriceLine server={server} />
      {tools.length === 0 ? (
        <EmptyState title="No Tools Found" text={noToolsText(server)} />
      ) : (
        <ul className="divide-y divide-line rounded-md border border-line">
          {tools.map((tool) => (
            <li key={tool.name} className="px-3 py-2.5">
              <p className="flex items-baseline justify-between gap-4">
                <span dir="auto" className="min-w-0 font-medium wrap-anywhere">
                  {tool.displayName}
                </span>
                <span className="shrink-0 text-[0.8125rem] text-quiet">{callCost(sells ? tool.creditCost : 0)}</span>
              </p>
              <p dir="auto" className="mt-0.5 text-quiet">
                {tool.displayDescription}
              </p>
            </li>
          ))}
        </ul>
      )}
    </section>
  );
}
