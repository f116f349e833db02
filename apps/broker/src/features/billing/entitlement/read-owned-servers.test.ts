import { expect, test } from 'vitest';
import type { OwnedServer } from './owned.ts';
import { readOwnedServers } from './read-owned-servers.ts';

const nowMs = Date.UTC(2026, 10, 26);
const server = (serverId: string, periodEndsAtMs: number | undefined): OwnedServer => ({
  id: serverId,
  serverId,
  kind: 'trial',
  period: undefined,
  features: [],
  source: 'person',
  pastDue: false,
  startedAtMs: 0,
  periodEndsAtMs,
  isCancelled: false,
});

test('the last name of an undeployed server is read while a user who owns it can see it, and not afterwards', async () => {
  const asked: string[] = [];
  const catalogue = {
    snapshot: () => ({ byId: new Map() }) as never,
    versions: async (id: string) => {
      asked.push(id);
      return [{ name: `Old ${id}`, deployedAt: new Date(0) }] as never;
    },
  };
  const servers = [server('ended', nowMs - 1), server('running', nowMs + 1), server('kept', undefined)];
  const factsOf = await readOwnedServers(catalogue, { plans: [], servers }, nowMs);
  expect(asked).toEqual(['running', 'kept']);
  expect(factsOf('running')).toEqual({ name: 'Old running', isOffered: false, tier: null });
});
