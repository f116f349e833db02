import { useQuery } from '@tanstack/react-query';
import CircleAlert from 'lucide-react/icons/circle-alert';
import CircleCheck from 'lucide-react/icons/circle-check';
import CircleDot from 'lucide-react/icons/circle-dot';
import { formatCount } from '#ui/text/amount.ts';
import { Card } from '#ui/card.tsx';
import { Facts } from '#ui/text/facts.tsx';
import { Ago } from '#ui/text/moment.tsx';
import { Notice } from '#ui/state/notice.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import { failureText } from '#web/texts/failure-text.ts';
import { NotLoaded } from '../not-loaded.tsx';
import { Section } from '../section.tsx';
import { needGroups, type NeedGroup, type NeedRow } from './need-rows.ts';
import { needsQuery } from './needs-query.ts';

export function NeedsPart({ userId }: { userId: string }) {
  const query = useQuery(needsQuery(userId));
  const { data, error } = query;
  return (
    <Section id="needs-heading" title="What needs you">
      {data && error && (
        <Notice tone="bad">This list couldn't be refreshed and may be outdated. {failureText(error)}</Notice>
      )}
      {!data && <NotLoaded query={query} label="Loading what needs you…" rows={2} />}
      {data && <Groups groups={needGroups(data.needs)} />}
    </Section>
  );
}

function Groups({ groups }: { groups: readonly NeedGroup[] }) {
  if (groups.length === 0) {
    return (
      <Card className="flex items-center gap-3">
        <CircleCheck aria-hidden size={20} className="shrink-0 text-good" />
        <p>
          <span className="font-medium">Nothing needs you.</span>{' '}
          <span className="text-quiet">
            Servers answer, payments went through, the ledger adds up, and nothing waits for a decision.
          </span>
        </p>
      </Card>
    );
  }
  return (
    <Card padding="none" className="divide-y divide-line">
      {groups.map((group) => (
        <Group key={group.key} group={group} />
      ))}
    </Card>
  );
}

function Group({ group: { key, title, tone, rows, more } }: { group: NeedGroup }) {
  const Mark = tone === 'urgent' ? CircleAlert : CircleDot;
  return (
    <section aria-labelledby={`needs-${key}`} className="grid gap-x-6 gap-y-2 p-4 sm:grid-cols-[11rem_1fr] sm:px-5">
      <h3 id={`needs-${key}`} className="flex items-center gap-2 self-start text-[0.8125rem] font-medium text-quiet">
        <Mark aria-hidden size={15} className={tone === 'urgent' ? 'shrink-0 text-bad' : 'shrink-0 text-accent'} />
        {title}
      </h3>
      <ul className="flex min-w-0 flex-col gap-3">
        {rows.map((row) => (
          <Row key={row.key} row={row} />
        ))}
        {more > 0 && <li className="text-quiet">And {formatCount(more)} more.</li>}
      </ul>
    </section>
  );
}

function Row({ row: { before, link, after, detail, since } }: { row: NeedRow }) {
  return (
    <li className="min-w-0">
      <p className="max-w-[70ch] wrap-anywhere">
        {before}
        {link && (
          <TextLink to="/admin" search={link.search} className="py-1">
            {link.text}
          </TextLink>
        )}
        {after}
      </p>
      {[detail, since].some(Boolean) && (
        <Facts className="mt-0.5 max-w-[70ch] text-[0.8125rem] wrap-anywhere text-quiet">
          {since && <Ago moment={since} />}
          {detail}
        </Facts>
      )}
    </li>
  );
}
