import { otherServers } from '@souk/contract/usage.ts';
import type { Popularity } from '#features/catalogue/index.ts';
import { firstShownDay } from './every-day.ts';
import { keepFigures, type FigureParts } from './kept-figures.ts';

/** Servers that are ranked. The rest are listed by name. */
const maxServers = 10_000;

type Row = { server_id: string; people: number; calls: number };

/** How often, and by how many users, each server was used in the last 30 days (UTC). Only answered calls count. */
export function useOfServers(parts: FigureParts): () => Popularity {
  const kept = keepFigures<Popularity>(parts, {
    async read() {
      const { rows } = await parts.query<Row>(text, [firstShownDay(parts.clock.now()), maxServers]);
      return new Map(rows.map(({ server_id: id, people, calls }) => [id, { people, calls }]));
    },
    first: new Map(),
    failure: 'how much servers are used cannot be read',
  });
  return () => kept.last();
}

const text = `
  select server_id, count(*)::int as people, sum(calls)::bigint as calls
  from (
    select server_id, user_id, sum(answered) as calls from usage_by_day
    where day >= $1::date and kind = 'tool' and server_id not in ('', '${otherServers}')
    group by server_id, user_id having sum(answered) > 0) used
  group by server_id order by people desc, calls desc limit $2`;
