import { pino } from 'pino';
import { expect, test } from 'vitest';
import type { UsageRow } from '#features/billing/index.ts';
import { createCallLog } from './log-calls.ts';

const row: UsageRow = {
  callId: '0199c4a5-0000-7000-8000-000000000001',
  userId: '0199c4a5-0000-7000-8000-000000000002',
  serverId: 'wiki',
  kind: 'tool',
  name: 'wiki__search',
  outcome: 'cancelled',
  reason: undefined,
  credits: 0,
  durationMs: 0,
  clientId: 'c',
  tokenId: 't',
  rounds: undefined,
  atMs: 0,
};

test('a client that gave up after half a minute leaves a log line, and one that did so earlier leaves none', () => {
  const lines: unknown[] = [];
  const log = createCallLog(pino({ level: 'info' }, { write: (line: string) => void lines.push(JSON.parse(line)) }));
  log.note([{ ...row, durationMs: 29_999 }]);
  expect(lines).toEqual([]);
  log.note([{ ...row, durationMs: 60_000.4 }]);
  expect(lines).toMatchObject([
    { msg: 'call failed', server: 'wiki', tool: 'wiki__search', code: 'cancelled', durationMs: 60_000 },
  ]);
  log.stop();
});
