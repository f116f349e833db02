import type { UsageRow } from '../usage-row.ts';
import type { FinishedCall } from './settle-calls.ts';

/**
 * Text format of ended calls. Calls of the same ten milliseconds have most of their words in common: each word is written once,
 * and calls refer to words by their places. This takes at most a third of the space of objects with field names.
 */
type Text = { words: (string | null)[]; calls: Numbers[] };
type Numbers = [
  lease: number,
  callId: number,
  userId: number,
  serverId: number,
  kind: number,
  name: number,
  outcome: number,
  reason: number,
  clientId: number,
  tokenId: number,
  isAbort: number,
  credits: number,
  rounds: number,
  durationMs: number,
  atMs: number,
];

export function writeCalls(calls: readonly FinishedCall[]): string {
  const places = new Map<string | undefined, number>();
  const place = (word: string | undefined): number => {
    const known = places.get(word);
    if (known === undefined) places.set(word, places.size);
    return known ?? places.size - 1;
  };
  const numbers = calls.map(({ lease, isAbort, row }): Numbers => [
    place(lease.id),
    place(row.callId),
    place(row.userId),
    place(row.serverId),
    place(row.kind),
    place(row.name),
    place(row.outcome),
    place(row.reason),
    place(row.clientId),
    place(row.tokenId),
    isAbort ? 1 : 0,
    row.credits,
    row.rounds ?? 1,
    Math.round(row.durationMs),
    row.atMs,
  ]);
  return JSON.stringify({ words: [...places.keys()].map((word) => word ?? null), calls: numbers } satisfies Text);
}

export function readCalls(text: string): FinishedCall[] {
  // why the cast: writeCalls of this version or an earlier one wrote the text
  const { words, calls } = JSON.parse(text) as Text;
  return calls.map(([lease, callId, userId, serverId, kind, name, outcome, reason, clientId, tokenId, ...numbers]) => {
    const [isAbort, credits, rounds, durationMs, atMs] = numbers;
    return {
      lease: { id: words[lease] ?? '' },
      isAbort: isAbort === 1,
      row: {
        callId: words[callId] ?? '',
        userId: words[userId] ?? '',
        serverId: words[serverId] ?? undefined,
        kind: words[kind] as UsageRow['kind'],
        name: words[name] ?? '',
        outcome: words[outcome] as UsageRow['outcome'],
        reason: words[reason] ?? undefined,
        clientId: words[clientId] ?? '',
        tokenId: words[tokenId] ?? '',
        credits,
        rounds: rounds === 1 ? undefined : rounds,
        durationMs,
        atMs,
      },
    };
  });
}
