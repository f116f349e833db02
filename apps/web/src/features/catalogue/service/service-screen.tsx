import type { ServerAnswer } from '@souk/contract/catalogue/catalogue.ts';
import { creditWorthText } from '@souk/contract/billing/credit-worth.ts';
import { useQuery } from '@tanstack/react-query';
import ArrowLeft from 'lucide-react/icons/arrow-left';
import { Suspense, type ReactNode } from 'react';
import { formatCount } from '#ui/text/amount.ts';
import { Badge } from '#ui/state/badge.tsx';
import { ClampedText } from '#ui/text/clamped-text.tsx';
import { EmptyState } from '#ui/state/empty-state.tsx';
import { ErrorState } from '#ui/state/error-state.tsx';
import { Icon } from '#ui/picture/icon.tsx';
import { LinkButton } from '#ui/link-button.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { ScreenTitle } from '#ui/text/screen-title.tsx';
import { StatusBadge } from '#ui/state/status-badge.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { TierBadge } from '#ui/state/tier-badge.tsx';
import { callsText, isFree } from '#web/texts/access-text.ts';
import { sells } from '#web/config.ts';
import { downSinceText } from '#web/texts/down-text.ts';
import { isNotDeployed, serverQuery } from '#web/loading/server-query.ts';
import { lazyPart } from '#ui/lazy-part.ts';
import { LoadError } from '#web/loading/load-error.tsx';
import { CapabilityList } from './capability-list.tsx';
import { ServerInformation } from './server-information.tsx';
import { askingText, noToolsText, underReviewText } from '../server-texts.ts';
import { serviceOf, type Service } from './service-of.ts';
import { ServicePlaceholder } from './service-placeholder.tsx';
import { ToolList, type ToolListProps } from './tool-list.tsx';

const RelatedServers = lazyPart(() => import('./related-servers.tsx'), 'RelatedServers');

export type ServiceScreenProps = {
  /** From the address, decoded by the router. */
  serviceId: string;
  /** Whether a user is signed in. Their switch and link come before the tools, on a phone too. */
  isMember: boolean;
  triedTool: string | undefined;
  /** Renders what the user can do with the service: connect it, switch it on, or get access. */
  access: (server: ServerAnswer) => ReactNode;
  /** Replaces the tools of a server that shows them only to connected accounts. */
  toolsOfAccount: (server: ServerAnswer) => ReactNode;
  tryTool: (server: ServerAnswer, ...row: Parameters<ToolListProps['tryTool']>) => ReactNode;
};

/** /service/{serviceId}: what a server does, what its tools cost, how to connect. */
export function ServiceScreen({ serviceId, ...parts }: ServiceScreenProps) {
  const server = useQuery({ ...serverQuery(serviceId), enabled: serviceId !== '' });
  const { data, error } = server;
  const notFound = serviceId === '' ? 'No server ID provided' : isNotDeployed(error) ? error.message : undefined;
  const found = notFound === undefined ? data : undefined;
  return (
    <>
      <TextLink to="/marketplace" tone="quiet" className="mb-4 inline-flex min-h-7 items-center gap-1.5">
        <ArrowLeft aria-hidden size={16} />
        Back to Marketplace
      </TextLink>
      {/* a heading to jump to until the page has its own */}
      {!found && <h1 className="sr-only">Server details</h1>}
      {!found && notFound === undefined && !error && <ServicePlaceholder />}
      {!found && notFound === undefined && error && (
        <LoadError title="Failed to load server details" text={error.message} query={server} />
      )}
      {notFound !== undefined && <NotFound text={notFound} />}
      {found && <Found service={serviceOf(found)} {...parts} />}
    </>
  );
}

function NotFound({ text }: { text: string }) {
  return (
    <>
      <ScreenTitle title="Server Not Found" />
      <ErrorState
        title="Server Not Found"
        text={<span className="wrap-anywhere">{text}</span>}
        actions={<LinkButton to="/marketplace">Back to Marketplace</LinkButton>}
      />
    </>
  );
}

function Found({
  service,
  isMember,
  triedTool,
  access,
  toolsOfAccount,
  tryTool,
}: { service: Service } & Omit<ServiceScreenProps, 'serviceId'>) {
  const { server, tools, prompts, resources, resourceTemplates } = service;
  const dependsOnAccount = server.requires !== undefined && tools.length === 0;
  const asking = askingText(server.askingTools);
  const underReview = underReviewText(server.toolsUnderReview);
  // what the user came for, or needs first, comes first on a phone too
  const isAccessFirst = isMember || !isFree(server);
  const use = (
    <section key="use" aria-label="Use this service" className="min-w-0 lg:col-start-2 lg:row-start-1">
      {access(server)}
    </section>
  );
  return (
    <>
      <ScreenTitle title={server.displayName} />
      <Head server={server} />
      {server.status !== 'connected' && server.statusDetail && (
        <div className="mt-6">
          <Notice tone="bad">
            {server.statusDetail}
            {server.downSince !== undefined && (
              <>
                <br />
                {downSinceText({ status: server.status, since: server.downSince })}. Calls fail and are not charged.
                Plans and rentals continue.
              </>
            )}
          </Notice>
        </div>
      )}
      <div className="mt-8 grid items-start gap-8 lg:grid-cols-[minmax(0,1fr)_22rem] lg:grid-rows-[auto_1fr]">
        {isAccessFirst && use}
        <div className="min-w-0 space-y-10 lg:col-start-1 lg:row-span-2 lg:row-start-1">
          <Section
            title="Tools Available"
            count={dependsOnAccount ? undefined : tools.length - (server.askingTools ?? 0)}
            note={server.creditPrice && `${creditWorthText(server.creditPrice)}.`}
          >
            {asking !== undefined && <p className="mb-3 text-quiet">{asking}</p>}
            {dependsOnAccount ? (
              toolsOfAccount(server)
            ) : tools.length === 0 ? (
              <EmptyState title="No Tools Found" text={noToolsText(server)} />
            ) : (
              <ToolList tools={tools} triedTool={triedTool} tryTool={(...row) => tryTool(server, ...row)} />
            )}
            {underReview !== undefined && (
              <div className="mt-3">
                <Notice tone="info">{underReview}</Notice>
              </div>
            )}
          </Section>
          {prompts.length > 0 && (
            <Section title="Prompts" count={prompts.length}>
              <CapabilityList items={prompts} />
            </Section>
          )}
          {resources.length > 0 && (
            <Section title="Resources" count={resources.length}>
              <CapabilityList items={resources} />
            </Section>
          )}
          {resourceTemplates.length > 0 && (
            <Section title="Resource templates" count={resourceTemplates.length}>
              <CapabilityList items={resourceTemplates} />
            </Section>
          )}
          <Suspense fallback={null}>
            <RelatedServers serverId={server.serverId} />
          </Suspense>
        </div>
        {!isAccessFirst && use}
        <ServerInformation server={server} className="lg:col-start-2 lg:row-start-2" />
      </div>
    </>
  );
}

function Head({ server }: { server: ServerAnswer }) {
  const { displayName, displayDescription, metadata, status, billing } = server;
  const calls = sells ? callsText(server) : undefined;
  return (
    <div className="flex min-w-0 items-start gap-4">
      <Icon id={server.serverId} name={displayName} src={metadata.icon} size={64} />
      <div className="min-w-0">
        <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <h1 dir="auto" className="text-2xl/8 font-semibold tracking-tight wrap-anywhere">
            {displayName}
          </h1>
          <StatusBadge status={status} />
          {billing && <TierBadge tier={billing.tier} />}
          {calls !== undefined && <span className="text-quiet">{calls}</span>}
        </div>
        <ClampedText text={displayDescription} className="mt-1 max-w-prose text-[0.9375rem]/6 text-quiet" />
        {billing && billing.features.length > 0 && (
          <ul aria-label="Features" className="mt-3 flex flex-wrap gap-1.5">
            {billing.features.map((feature) => (
              <li key={feature}>
                <span
                  dir="auto"
                  className="inline-flex rounded-lg bg-idle-soft px-2 py-0.5 text-xs/5 font-medium wrap-anywhere text-quiet"
                >
                  {feature}
                </span>
              </li>
            ))}
          </ul>
        )}
      </div>
    </div>
  );
}

type SectionProps = { title: string; count: number | undefined; note?: string | undefined; children: ReactNode };

function Section({ title, count, note, children }: SectionProps) {
  return (
    <section>
      <div className="mb-3 flex flex-wrap items-baseline justify-between gap-x-4 gap-y-1">
        <h2 className="flex items-center gap-2 text-base font-semibold">
          {title}
          {count !== undefined && <Badge>{formatCount(count)}</Badge>}
        </h2>
        {note !== undefined && <p className="text-[0.8125rem] text-quiet tabular-nums">{note}</p>}
      </div>
      {children}
    </section>
  );
}
