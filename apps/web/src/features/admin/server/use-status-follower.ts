import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef } from 'react';
import { serverQuery } from '#web/loading/server-query.ts';
import { figuresQuery, toolsQuery, type ServerPartProps } from './server-queries.ts';

/** Refetches the page when the server's status changes, since only the manifest is polled. */
export function useStatusFollower({ userId, serverId, shown: { listed } }: ServerPartProps): void {
  const queries = useQueryClient();
  const status = listed?.status ?? null;
  const before = useRef(status);
  useEffect(() => {
    if (before.current === status) return;
    before.current = status;
    for (const { queryKey } of [figuresQuery(userId, serverId), toolsQuery(userId, serverId), serverQuery(serverId)])
      void queries.invalidateQueries({ queryKey });
  }, [queries, userId, serverId, status]);
}
