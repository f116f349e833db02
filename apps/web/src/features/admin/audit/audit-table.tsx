import type { AuditEntryShown } from '@souk/contract/admin/audit.ts';
import ArrowRight from 'lucide-react/icons/arrow-right';
import { Fragment, type ReactNode } from 'react';
import { formatMoment } from '#ui/text/amount.ts';
import { Facts } from '#ui/text/facts.tsx';
import { Table, type TableColumn } from '#ui/table.tsx';
import { TextLink } from '#ui/text/text-link.tsx';
import type { AdminSearch } from '../admin-search.ts';
import { filterOfActor, nameOfActor } from './audit-queries.ts';

type Row = AuditEntryShown;

/** A page of the log. User texts keep their own writing direction. On a phone, the actor, time and address are below the action. */
export function AuditTable({ entries, onWho }: { entries: readonly Row[]; onWho: (who: string) => void }) {
  const columns: TableColumn<Row>[] = [
    { id: 'at', header: 'Time', wideOnly: true, cell: ({ at }) => <Moment at={at} /> },
    { id: 'who', header: 'Who', wideOnly: true, cell: (row) => <Who row={row} onWho={onWho} /> },
    { id: 'what', header: 'What', rowHeader: true, cell: (row) => <What row={row} onWho={onWho} /> },
    { id: 'address', header: 'Address', wideOnly: true, cell: ({ address }) => <Address address={address} /> },
  ];
  return <Table caption="Audit log" columns={columns} rows={entries} rowKey={({ id }) => id} />;
}

function Moment({ at }: { at: string }) {
  return (
    <time dateTime={at} title={at} className="text-[0.8125rem] whitespace-nowrap text-quiet tabular-nums">
      {formatMoment(at)}
    </time>
  );
}

function Who({ row: { who }, onWho }: { row: Row; onWho: (who: string) => void }) {
  const name = nameOfActor(who);
  return (
    <button
      type="button"
      title={`Show only what ${name} did`}
      onClick={() => onWho(filterOfActor(who))}
      className="block min-h-6 max-w-48 truncate rounded-sm text-left hover:underline"
    >
      {name}
    </button>
  );
}

function What({ row, onWho }: { row: Row; onWho: (who: string) => void }) {
  const { text, changes, facts, ids, reason, at, address } = row;
  return (
    <div className="flex min-w-0 flex-col gap-0.5 wrap-anywhere">
      <span>
        {text}
        <ObjectOf row={row} />
      </span>
      {changes.map(({ field, before, after }) => (
        <Line key={field}>
          {field}:{' '}
          {before !== null && (
            <>
              <bdi>{before}</bdi>{' '}
              <ArrowRight aria-label="became" role="img" size={12} className="inline align-baseline" />{' '}
            </>
          )}
          {after === null ? 'none' : <bdi>{after}</bdi>}
        </Line>
      ))}
      {facts.length > 0 && (
        <Line>
          <NamedFacts facts={facts} />
        </Line>
      )}
      {reason !== null && (
        <Line>
          Reason: <bdi>{reason}</bdi>
        </Line>
      )}
      {ids.length > 0 && (
        <details className="text-[0.8125rem] font-normal text-quiet">
          <summary className="w-fit cursor-pointer rounded-sm py-1 hover:underline">Ids</summary>
          <NamedFacts facts={ids} />
        </details>
      )}
      <span className="flex flex-wrap items-baseline gap-x-2 text-[0.8125rem] font-normal text-quiet sm:hidden">
        <Who row={row} onWho={onWho} />
        <Moment at={at} />
        {address !== null && <span>{address}</span>}
      </span>
    </div>
  );
}

function NamedFacts({ facts }: { facts: Row['facts'] }) {
  return (
    <Facts>
      {facts.map(({ name, text }) => (
        <Fragment key={name}>
          {name}: <bdi>{momentIn(text)}</bdi>
        </Fragment>
      ))}
    </Facts>
  );
}

/** Formats a recorded moment like all others. */
const momentIn = (text: string) => (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text) ? formatMoment(text) : text);

const Line = ({ children }: { children: ReactNode }) => (
  <span className="text-[0.8125rem] font-normal text-quiet">{children}</span>
);

function ObjectOf({ row: { object } }: { row: Row }) {
  const { name } = object;
  const search = pageOf(object);
  return (
    <>
      {': '}
      {search ? (
        <TextLink to="/admin" search={search} className="py-1">
          <bdi>{name}</bdi>
        </TextLink>
      ) : (
        <bdi className="font-normal">{name}</bdi>
      )}
    </>
  );
}

function pageOf({ serverId, userId, offerId }: Row['object']): AdminSearch | undefined {
  if (userId !== null) return { tab: 'users', user: userId };
  if (offerId !== null) return { tab: 'offers', offer: offerId };
  return serverId === null ? undefined : { tab: 'manifests', id: serverId };
}

function Address({ address }: { address: string | null }) {
  return <span className="text-[0.8125rem] whitespace-nowrap text-quiet tabular-nums">{address ?? '–'}</span>;
}
