import { builtInTools, otherServers, type UsageStats } from '@souk/contract/usage.ts';
import { formatCount } from '#ui/text/amount.ts';
import { DayBars } from '#ui/picture/day-bars.tsx';
import { Icon } from '#ui/picture/icon.tsx';

export type ServiceDays = UsageStats['usageByMcpAndDay'][number];
type Face = { name: string; icon: string | undefined };

const namesOfMany: Readonly<Record<string, string>> = {
  [otherServers]: 'Other services',
  [builtInTools]: 'Built-in tools',
};

/** Returns whether the id is that of one service, which has a page and an icon. */
export const isOneService = (mcpId: string): boolean => namesOfMany[mcpId] === undefined;

export const serviceName = (mcpId: string, faceOf: (mcpId: string) => Face): string =>
  namesOfMany[mcpId] ?? faceOf(mcpId).name;

export type ServiceDaysRowsProps = {
  services: readonly ServiceDays[];
  faceOf: (mcpId: string) => Face;
  chosen: number | undefined;
};

/**
 * The bars of each service in its own row, aligned with the days of the chart above. All rows share one scale. Hidden
 * from screen readers: the chart's table has a column for each service.
 */
export function ServiceDaysRows({ services, faceOf, chosen }: ServiceDaysRowsProps) {
  const most = Math.max(1, ...services.flatMap(({ answeredToolCalls }) => answeredToolCalls));
  return (
    <div aria-hidden className="flex flex-col gap-5">
      {services.map(({ mcpId, answeredToolCalls }) => (
        <div key={mcpId}>
          <div className="flex items-center gap-2 text-[0.8125rem]">
            <Icon id={mcpId} name={serviceName(mcpId, faceOf)} src={faceOf(mcpId).icon} size={20} />
            <span className="truncate text-text" dir="auto">
              {serviceName(mcpId, faceOf)}
            </span>
            <span className="ml-auto">{formatCount(callsOf(answeredToolCalls, chosen))}</span>
          </div>
          <DayBars
            className="mt-1 h-6"
            top={most}
            chosen={chosen}
            bars={answeredToolCalls.map((value, day) => ({ key: String(day), value }))}
          />
        </div>
      ))}
    </div>
  );
}

const callsOf = (calls: readonly number[], day: number | undefined): number =>
  day === undefined ? calls.reduce((sum, count) => sum + count, 0) : (calls[day] ?? 0);
