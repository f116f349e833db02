import { setTimeout as pause } from 'node:timers/promises';
import { expect } from 'vitest';
import { z } from 'zod';
import { modernRequest } from '../../apps/broker/src/testing/people/modern-request.ts';

const clients = 8;
const answerOf = z.object({
  result: z
    .object({ isError: z.boolean().optional(), _meta: z.record(z.string(), z.unknown()).optional() })
    .loose()
    .optional(),
});

export type PaidCall = { callId: string; beganMs: number; ms: number };

export type PayingClients = {
  readonly done: readonly PaidCall[];
  stop(): Promise<void>;
};

/** Makes paid calls until it is stopped, like clients that pause between calls. */
export function startPayingClients(publicUrl: string, token: string): PayingClients {
  const done: PaidCall[] = [];
  const state = { isOver: false };
  const client = async () => {
    while (!state.isOver) {
      const beganMs = performance.now();
      const call = { name: 'travel__distance', arguments: { from: 'LHR', to: 'JFK' } };
      const answer = await fetch(`${publicUrl}/mcp`, modernRequest(token, 'tools/call', call));
      const { result } = answerOf.parse(await answer.json());
      const ms = performance.now() - beganMs;
      await pause(10);
      // a busy machine may fail to hold the price in time: then the call is not sent, and clients retry
      if (result?._meta?.['souk/code'] === 'charging_unavailable') continue;
      expect([answer.status, result?.isError ?? false], JSON.stringify(result)).toEqual([200, false]);
      done.push({ callId: answer.headers.get('x-request-id') ?? '', beganMs, ms });
    }
  };
  const ended = Promise.all(Array.from({ length: clients }, client));
  // a failure is reported by stop()
  ended.catch(() => {});
  return {
    done,
    async stop() {
      state.isOver = true;
      await ended;
    },
  };
}

/**
 * Runs work while calls run. Returns the calls that were answered before, those that ran meanwhile, and the seconds it
 * took.
 */
export async function watchCalls<Result>(
  { done }: PayingClients,
  act: () => Promise<Result>,
): Promise<{ result: Result; before: PaidCall[]; seconds: number; during(): PaidCall[] }> {
  const before = [...done];
  const beganAtMs = performance.now();
  const result = await act();
  const endedAtMs = performance.now();
  return {
    result,
    before,
    seconds: (endedAtMs - beganAtMs) / 1000,
    during: () => done.filter(({ beganMs, ms }) => beganMs + ms >= beganAtMs && beganMs <= endedAtMs),
  };
}

/** Returns a percentile of the durations, in milliseconds, as text. */
export function percentile(calls: readonly PaidCall[], part: number): string {
  const durations = calls.map(({ ms }) => ms).toSorted((one, other) => one - other);
  return (durations[Math.floor(calls.length * part)] ?? 0).toFixed(1);
}
