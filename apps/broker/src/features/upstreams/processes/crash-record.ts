import { UpstreamError } from '#adapters/mcp/upstream-error.ts';
import type { Clock } from '#platform/clock.ts';

/**
 * Time in which crashes are counted: the first restart is immediate, the second is delayed, and after the third the
 * program stays stopped until a retry is requested.
 */
const windowMs = 60_000;
const crashesToQuarantine = 3;
const secondRestartDelayMs = 5_000;

export function quarantinedText(serverId: string): string {
  return (
    `the program crashed ${crashesToQuarantine} times within a minute and stays stopped until someone presses Refresh in the ` +
    `marketplace, or you run: npm run souk -- manifest deploy ${serverId}`
  );
}

/** Records crashes by process name, so that a program that keeps crashing is not restarted. */
export function createCrashRecord(clock: Clock) {
  const crashes = new Map<string, { atMs: number[]; quarantined: boolean; why: UpstreamError | undefined }>();

  return {
    /** @throws UpstreamError quarantined after three crashes in a minute; restarting in the pause after the second */
    check(name: string, serverId: string): void {
      const record = crashes.get(name);
      if (!record) return;
      if (record.quarantined) {
        throw new UpstreamError('quarantined', quarantinedText(serverId), { cause: record.why });
      }
      const last = record.atMs.at(-1);
      if (last === undefined || record.atMs.length < 2) return;
      const retryAfterMs = last + secondRestartDelayMs - clock.now();
      if (retryAfterMs > 0) {
        const message = 'the program crashed and restarts in a moment';
        throw new UpstreamError('restarting', message, { retryAfterMs, cause: record.why });
      }
    },
    /** Records a crash. @returns whether this one quarantined the program */
    crashed(name: string, why?: UpstreamError): boolean {
      const nowMs = clock.now();
      const record = crashes.get(name);
      const atMs = [...(record?.atMs ?? []).filter((each) => nowMs - each < windowMs), nowMs];
      const was = record?.quarantined === true;
      crashes.set(name, { atMs, quarantined: was || atMs.length >= crashesToQuarantine, why });
      return !was && atMs.length >= crashesToQuarantine;
    },
    /** Forgets the crashes of all processes whose name begins with `prefix`. */
    reset(prefix: string): void {
      for (const name of crashes.keys()) if (name.startsWith(prefix)) crashes.delete(name);
    },
    /** Forgets crashes that no longer count. */
    tidy(): void {
      const oldestMs = clock.now() - windowMs;
      for (const [name, { atMs, quarantined }] of crashes) {
        if (!quarantined && (atMs.at(-1) ?? 0) < oldestMs) crashes.delete(name);
      }
    },
  };
}
