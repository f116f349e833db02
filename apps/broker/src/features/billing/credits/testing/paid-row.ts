import { randomUUID } from 'node:crypto';
import type { UsageRow } from '../usage-row.ts';

/** Builds the record of a successful call that costs credits. */
export const paidRow = (userId: string, credits: number, callId: string = randomUUID()): UsageRow => ({
  callId,
  userId,
  serverId: 'paid',
  kind: 'tool',
  name: 'say',
  outcome: 'ok',
  reason: undefined,
  credits,
  durationMs: 1,
  clientId: 'test',
  tokenId: 'test',
  atMs: Date.now(),
});
