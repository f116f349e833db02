import { builtInTools, countedServers, type UsageStats } from '@souk/contract/usage.ts';
import { formatCount } from '#ui/text/amount.ts';
import { Icon } from '#ui/picture/icon.tsx';
import { TitledSection } from '#ui/text/section-heading.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { config } from '#web/config.ts';
import { possessive } from '#web/texts/possessive.ts';
import { useServerFaces } from '#web/loading/server-query.ts';
import { isOneService, serviceName } from './service-days.tsx';

type Used = UsageStats['usageByMcp'][number];

/** Spec part 2, section 9. */
const shownServices = 10;

const builtInHint = `${possessive(config.brandName)} own tools, which search, list and call those of your services.`;
const othersHint = `On days with more than ${countedServers} services, the rest are counted together.`;

export function UsedServices({ services }: { services: readonly Used[] }) {
  const shown = services.slice(0, shownServices);
  const faceOf = useServerFaces(shown.map(({ mcpId }) => mcpId).filter(isOneService));
  const most = Math.max(1, ...shown.map(({ answeredToolCalls }) => answeredToolCalls));
  const columns: readonly TableColumn<Used>[] = [
    {
      id: 'service',
      header: 'Service',
      rowHeader: true,
      cell: ({ mcpId, answeredToolCalls }) => (
        <div className="grid min-w-24 grid-cols-[auto_minmax(0,1fr)] items-center gap-x-3">
          <Icon id={mcpId} name={serviceName(mcpId, faceOf)} src={faceOf(mcpId).icon} size={20} />
          {isOneService(mcpId) ? (
            <TextLink
              to="/service/$serviceId"
              params={{ serviceId: mcpId }}
              tone="quiet"
              className="wrap-anywhere text-text!"
            >
              {faceOf(mcpId).name}
            </TextLink>
          ) : (
            <span title={mcpId === builtInTools ? builtInHint : othersHint}>{serviceName(mcpId, faceOf)}</span>
          )}
          <Share of={answeredToolCalls / most} />
        </div>
      ),
    },
    { id: 'calls', header: 'Calls', numeric: true, cell: ({ answeredToolCalls }) => formatCount(answeredToolCalls) },
    { id: 'average', header: <AverageHeader />, numeric: true, cell: ({ averageCost }) => averageCost.toFixed(1) },
    { id: 'total', header: 'Credits', numeric: true, cell: ({ totalCredits }) => formatCount(totalCredits) },
  ];
  return (
    <TitledSection
      id="used-services-heading"
      title="Usage by Service"
      text={services.length > shownServices && `The ${shownServices} most used of ${formatCount(services.length)}.`}
    >
      <Table caption="Calls and credits by service" columns={columns} rows={shown} rowKey={({ mcpId }) => mcpId} />
    </TitledSection>
  );
}

function AverageHeader() {
  return (
    <>
      Avg.<span className="max-sm:sr-only"> credits</span>
    </>
  );
}

/** The calls of a service relative to the most used one. */
function Share({ of }: { of: number }) {
  return (
    <svg
      aria-hidden
      viewBox="0 0 100 4"
      preserveAspectRatio="none"
      className="col-start-2 mt-1.5 block h-1.5 w-full max-w-sm"
    >
      <rect width="100" height="4" className="fill-sunken" />
      <rect width={of * 100} height="4" className="fill-accent forced-colors:fill-[CanvasText]" />
    </svg>
  );
}
