import { useQuery } from '@tanstack/react-query';
import { AuditTable } from '../audit/audit-table.tsx';
import { PagedList } from './paged-list.tsx';
import { personAuditQuery, type PersonListProps } from './person-queries.ts';

export function AuditPart({
  adminId,
  personId,
  search,
  onChange,
  onWho,
}: PersonListProps & {
  /** Opens the audit log, filtered by the actor and this user. */
  onWho: (who: string) => void;
}) {
  const list = useQuery(personAuditQuery(adminId, personId, search));
  return (
    <PagedList
      list={list}
      label="audit entries"
      search={search}
      onChange={onChange}
      count={({ entries }) => entries.length}
      empty={{ title: 'Nothing in the audit log', text: 'What administrators do to this user appears here.' }}
    >
      {({ entries }) => <AuditTable entries={entries} onWho={onWho} />}
    </PagedList>
  );
}
