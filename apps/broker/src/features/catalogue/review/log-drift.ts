import type { Log } from '#platform/log.ts';
import type { FoundDrift } from './review-tools.ts';

/** Names of tools per log line. */
const maxLoggedTools = 20;

export function logDrift(log: Log, server: string, found: readonly FoundDrift[], notAudited: number): void {
  const logChanges = (level: 'warn' | 'info', text: string, changes: readonly FoundDrift[]) => {
    if (changes.length === 0) return;
    const tools = changes.slice(0, maxLoggedTools).map(({ tool, change }) => `${tool} (${change})`);
    log[level]({ server, changed: changes.length, tools, ...(notAudited > 0 && { notAudited }) }, text);
  };
  logChanges(
    'warn',
    'tools have changed since they were trusted: they are hidden until an administrator approves them',
    found.filter(({ underReview }) => underReview),
  );
  logChanges(
    'info',
    'tools have changed since they were trusted, and the change was accepted',
    found.filter(({ underReview }) => !underReview),
  );
}
