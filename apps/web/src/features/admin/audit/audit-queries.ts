import { adminAuditEndpoints, type AuditEntryShown } from '@souk/contract/admin/audit.ts';
import { auditGroupNames } from '@souk/contract/admin/audit-actions.ts';
import { createClient } from '@souk/contract/client.ts';
import { keepPreviousData, queryOptions } from '@tanstack/react-query';
import { adminClientOptions, adminKey } from '../admin-api.ts';
import type { AdminSearch } from '../admin-search.ts';
import { commandLineOf } from '../command-line.ts';
import { config } from '#web/config.ts';

export const auditApi = createClient(adminAuditEndpoints, adminClientOptions);

/** Returns the filter of the address in the broker's form. Days are in the reader's time zone, like the times in the list. */
export function auditFilterOf({ who, group, object, from, to }: AdminSearch) {
  return {
    who,
    group: auditGroupNames.find((name) => name === group),
    object,
    from: momentOf(from, 'T00:00:00.000'),
    to: momentOf(to, 'T23:59:59.999'),
  };
}

/** Returns why the filters of an address are invalid; undefined if they are valid. The broker refuses them too. */
export function faultOfFilters(search: AdminSearch): string | undefined {
  const { group, from, to } = auditFilterOf(search);
  if (search.group !== undefined && group === undefined) return `There is no kind of action called "${search.group}".`;
  for (const [day, moment] of [
    [search.from, from],
    [search.to, to],
  ])
    if (day !== undefined && moment === undefined) return `"${day}" is not a day such as 2026-12-01.`;
  return from !== undefined && to !== undefined && from > to ? 'The first day is later than the last day.' : undefined;
}

function momentOf(day: string | undefined, time: string): string | undefined {
  const at = day === undefined ? undefined : new Date(`${day}${time}`);
  return at === undefined || Number.isNaN(at.getTime()) || at.getFullYear() > 9998 || at.getFullYear() < 1970
    ? undefined
    : at.toISOString();
}

export const auditQuery = (adminId: string, search: AdminSearch) => {
  const query = { ...auditFilterOf(search), cursor: search.cursor, side: search.side };
  return queryOptions({
    queryKey: [...adminKey(adminId), 'audit', query],
    queryFn: ({ signal }) => auditApi.listAudit({ query }, { signal }),
    placeholderData: keepPreviousData,
  });
};

export const nameOfActor = (who: AuditEntryShown['who']): string => {
  if (who.kind === 'person') return who.email ?? 'Deleted user';
  return who.kind === 'broker' ? config.brandName : commandLineOf(who.name);
};

/** Returns the value of `who` in the address that shows only this actor. */
export const filterOfActor = (who: AuditEntryShown['who']): string => {
  if (who.kind === 'person') return who.id;
  if (who.kind === 'broker') return 'broker';
  return who.name === null ? 'operators' : `operator:${who.name}`;
};
