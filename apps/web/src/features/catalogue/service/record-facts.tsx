import { createClient } from '@souk/contract/client.ts';
import type { AnswerOutput } from '@souk/contract/endpoint.ts';
import { getServerRecord } from '@souk/contract/catalogue/server-record.ts';
import { useQuery } from '@tanstack/react-query';
import { formatDay, formatDuration } from '#ui/text/amount.ts';
import { Ago } from '#ui/text/moment.tsx';
import { clientOptions } from '#web/api.ts';
import { Fact } from './fact.tsx';
import { RecordFactsPlaceholder } from './record-facts-placeholder.tsx';
import { UptimeDays } from '#ui/picture/uptime-days.tsx';

type ServerRecord = AnswerOutput<typeof getServerRecord>;

/** A client of its own, loaded with its schemas after the first load. */
const recordApi = createClient([getServerRecord] as const, clientOptions);

const protocols: Readonly<Record<NonNullable<ServerRecord['era']>, string>> = {
  legacy: 'MCP up to 2025-11-25',
  modern: 'MCP 2026-07-28',
};

export function RecordFacts({ serverId }: { serverId: string }) {
  const { data, isError } = useQuery({
    queryKey: ['catalogue', 'record', serverId],
    queryFn: ({ signal }) => recordApi.getServerRecord({ params: { serverId } }, { signal }),
    refetchInterval: 60_000,
  });
  if (isError) return <Fact name="Uptime">Not available right now</Fact>;
  if (!data) return <RecordFactsPlaceholder />;
  const { days, lastTestedAt, era, calls } = data;
  return (
    <>
      <Fact name="Uptime, 30 days" note={<UptimeDays days={days} />}>
        {uptimeText(data)}
      </Fact>
      <Fact name="Last tested">{lastTestedAt === null ? 'Not yet' : <Ago moment={lastTestedAt} />}</Fact>
      {calls && (
        <>
          <Fact name="Median answer">{formatDuration(calls.medianMs)}</Fact>
          <Fact name="Success rate">{calls.successPercent}%</Fact>
        </>
      )}
      {era !== null && <Fact name="Protocol">{protocols[era]}</Fact>}
    </>
  );
}

/** Falls back to today's uptime on the first day, and to the day of the last check until that is counted. */
function uptimeText({ uptime, days, lastTestedAt }: ServerRecord): string {
  if (uptime && uptime.percent !== null) return `${uptime.percent}%`;
  const today = days.at(-1)?.percent ?? null;
  if (today !== null) return `${today}% today`;
  return lastTestedAt === null ? 'No checks yet' : `since ${formatDay(lastTestedAt)}`;
}
