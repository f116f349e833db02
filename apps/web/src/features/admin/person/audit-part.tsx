import { useQuery } from '@tanstack/react-query';
import type { AdminSearch } from '../admin-search.ts';
import { AuditTable } from '../audit/audit-table.tsx';
import { PagedList } from './paged-list.tsx';
import { personAuditQuery, type PersonPartProps } from './person-queries.ts';

/** Audit log entries about a user. */
export function AuditPart({
  adminId,
  personId,
  search,
  onChange,
  onWho,
}: PersonPartProps & {
  search: AdminSearch;
  onChange: (change: AdminSearch) => void;
  /** Opens the audit log, filtered by the actor and this user. */
  onWho: (who: string) => void;
}) {
  const list = useQuery(personAuditQuery(adminId, personId, search));
  return (
    <PagedList
      list={list}
      label="audit entries"
      after={search.after}
      onPage={(after) => onChange({ after })}
      count={({ entries }) => entries.length}
      empty={{ title: 'Nothing in the audit log', text: 'What administrators do to this user appears here.' }}
    >
      {({ entries }) => <AuditTable entries={entries} onWho={onWho} />}
    </PagedList>
  );
}
