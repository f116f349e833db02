import type { UsageStats } from '@souk/contract/usage.ts';
import { formatCount } from '#ui/amount.ts';
import { SectionHeading } from '#ui/section-heading.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { TextLink } from '#ui/text-link.tsx';
import { useServerNames } from '#web/server-query.ts';

type Used = UsageStats['usageByMcp'][number];

/** Spec part 2, section 9. */
const shownServices = 10;

/** The services that were called most, each with what its calls cost. */
export function UsedServices({ services }: { services: readonly Used[] }) {
  const shown = services.slice(0, shownServices);
  const nameOf = useServerNames(shown.map(({ mcpId }) => mcpId));
  const most = Math.max(1, ...shown.map(({ toolCalls }) => toolCalls));
  const columns: readonly TableColumn<Used>[] = [
    {
      id: 'service',
      header: 'Service',
      rowHeader: true,
      cell: ({ mcpId, toolCalls }) => (
        <div className="min-w-24">
          <TextLink
            to="/service/$serviceId"
            params={{ serviceId: mcpId }}
            tone="quiet"
            className="wrap-anywhere text-text!"
          >
            {nameOf(mcpId) ?? mcpId}
          </TextLink>
          <Share of={toolCalls / most} />
        </div>
      ),
    },
    { id: 'calls', header: 'Calls', numeric: true, cell: ({ toolCalls }) => formatCount(toolCalls) },
    { id: 'average', header: <AverageHeader />, numeric: true, cell: ({ averageCost }) => averageCost.toFixed(1) },
    { id: 'total', header: 'Credits', numeric: true, cell: ({ totalCredits }) => formatCount(totalCredits) },
  ];
  return (
    <section aria-labelledby="used-services-heading" className="flex flex-col gap-4">
      <SectionHeading
        id="used-services-heading"
        title="Usage by Service"
        text={services.length > shownServices && `The ${shownServices} most used of ${formatCount(services.length)}.`}
      />
      <Table caption="Calls and credits by service" columns={columns} rows={shown} rowKey={({ mcpId }) => mcpId} />
    </section>
  );
}

function AverageHeader() {
  return (
    <>
      Avg.<span className="max-sm:sr-only"> credits</span>
    </>
  );
}

/** The calls of a service beside those of the most used one. */
function Share({ of }: { of: number }) {
  return (
    <svg aria-hidden viewBox="0 0 100 4" preserveAspectRatio="none" className="mt-1.5 block h-1 w-full max-w-sm">
      <rect width="100" height="4" className="fill-sunken" />
      <rect width={of * 100} height="4" className="fill-line-strong forced-colors:fill-[CanvasText]" />
    </svg>
  );
}
