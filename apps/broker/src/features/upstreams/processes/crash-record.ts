import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Clock } from '#platform/clock.ts';

/** Gateway.md, Lifetimes and limits: the first restart is immediate, the second waits, the third needs the operator. */
const windowMs = 60_000;
const crashesToQuarantine = 3;
const secondRestartDelayMs = 5_000;

/** What the operator reads of a program that is not started again, with what brings it back. */
export function quarantinedText(serverId: string): string {
  return (
    `the program crashed ${crashesToQuarantine} times within a minute and stays stopped until someone presses Refresh in the ` +
    `marketplace, or you run: npm run souk -- manifest deploy ${serverId}`
  );
}

/** Remembers crashes by the name of a process, so that a program that keeps crashing is not started again. */
export type CrashRecord = {
  /** @throws UpstreamError quarantined after three crashes in a minute; restarting in the pause after the second */
  check(name: string, serverId: string): void;
  /** @param why it ended. @returns whether it is stopped for good from now on */
  crashed(name: string, why?: UpstreamError): boolean;
  /** Forgets the crashes of all processes whose name begins with `prefix`. */
  reset(prefix: string): void;
  /** Forgets crashes that no longer count. */
  tidy(): void;
};

export function createCrashRecord(clock: Clock): CrashRecord {
  const crashes = new Map<string, { atMs: number[]; quarantined: boolean; why: UpstreamError | undefined }>();

  return {
    check(name, serverId) {
      const record = crashes.get(name);
      if (!record) return;
      if (record.quarantined) {
        throw new UpstreamError('quarantined', quarantinedText(serverId), { cause: record.why });
      }
      const last = record.atMs.at(-1);
      if (last === undefined || record.atMs.length < 2) return;
      const retryAfterMs = last + secondRestartDelayMs - clock.now();
      if (retryAfterMs > 0) {
        const message = 'the program crashed and is started again in a moment';
        throw new UpstreamError('restarting', message, { retryAfterMs, cause: record.why });
      }
    },
    crashed(name, why) {
      const nowMs = clock.now();
      const record = crashes.get(name);
      const atMs = [...(record?.atMs ?? []).filter((each) => nowMs - each < windowMs), nowMs];
      const was = record?.quarantined === true;
      crashes.set(name, { atMs, quarantined: was || atMs.length >= crashesToQuarantine, why });
      return !was && atMs.length >= crashesToQuarantine;
    },
    reset(prefix) {
      for (const name of crashes.keys()) if (name.startsWith(prefix)) crashes.delete(name);
    },
    tidy() {
      const oldestMs = clock.now() - windowMs;
      for (const [name, { atMs, quarantined }] of crashes) {
        if (!quarantined && (atMs.at(-1) ?? 0) < oldestMs) crashes.delete(name);
      }
    },
  };
}
