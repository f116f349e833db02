import type { Log } from '#platform/log.ts';
import { hideSecrets } from '#platform/text/hide-secrets.ts';

const maxLines = 200;
const maxLineChars = 1000;
const maxServers = 512;
const allUses: readonly ProgramUse[] = ['shared', 'person', 'test'];

/** Whether a process is shared by all users, one user's own, or belongs to a connection test. */
export type ProgramUse = 'shared' | 'person' | 'test';

/** Lines of a server by use. `number` orders them across uses. */
type ServerLines = Record<ProgramUse, { number: number; line: string }[]> & { count: number };

/**
 * Records what programs wrote to stderr, and how they ended. Only the operator can read it, because it may contain
 * anything.
 */
export function createProgramLog(log: Log) {
  const linesOf = new Map<string, ServerLines>();
  return {
    /** Adds lines. @param secrets values that are replaced in the lines. @returns the lines as recorded */
    add(serverId: string, use: ProgramUse, lines: readonly string[], secrets: readonly string[]): string[] {
      const kept = linesOf.get(serverId) ?? { shared: [], person: [], test: [], count: 0 };
      // moved to the end, so that the server that was silent longest comes first
      linesOf.delete(serverId);
      linesOf.set(serverId, kept);
      const shown = lines
        .map((line) => clean(hideSecrets(line, secrets)).slice(0, maxLineChars))
        .filter((line) => line.trim() !== '');
      for (const line of shown) {
        kept[use].push({ number: kept.count++, line });
        log.debug({ server: serverId }, line);
      }
      // limited per use: one user's program does not displace the lines of others
      kept[use].splice(0, kept[use].length - maxLines);
      const [oldest] = linesOf.keys();
      if (linesOf.size > maxServers && oldest !== undefined) linesOf.delete(oldest);
      return shown;
    },
    /** Returns the last 200 lines of a server's programs, the newest last. */
    read(serverId: string, uses = allUses): readonly string[] {
      const kept = linesOf.get(serverId);
      if (!kept) return [];
      const lines = uses.flatMap((use) => kept[use]).toSorted((a, b) => a.number - b.number);
      return lines.slice(-maxLines).map(({ line }) => line);
    },
  };
}

/** Removes colors, and characters that control a terminal or reorder text. */
function clean(line: string): string {
  return (
    line
      // oxlint-disable-next-line no-control-regex -- the escape character begins a color
      .replaceAll(/\u001B\[[0-9;?]{0,32}[A-Za-z]/g, '')
      .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, ' ')
  );
}
