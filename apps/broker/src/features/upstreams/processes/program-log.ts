import type { Log } from '#platform/log.ts';
import { hideSecrets } from '#platform/text/hide-secrets.ts';

const maxLines = 200;
const maxLineChars = 1000;
const maxServers = 512;
const allUses: readonly ProgramUse[] = ['shared', 'person', 'test'];

/** Whose a process is: all people share it, it is one person's own, or it belongs to a connection test. */
export type ProgramUse = 'shared' | 'person' | 'test';

/** What programs wrote to stderr, and how they ended: for the operator alone, since it may say anything. */
export type ProgramLog = {
  /**
   * @param secrets values that are replaced wherever a line contains them
   * @returns the lines as they are kept
   */
  add(serverId: string, use: ProgramUse, lines: readonly string[], secrets: readonly string[]): string[];
  /** The last 200 lines of a server's programs, the newest last. @param uses by default all */
  read(serverId: string, uses?: readonly ProgramUse[]): readonly string[];
};

/** `number` orders the lines of all uses of a server. */
type Kept = Record<ProgramUse, { number: number; line: string }[]> & { count: number };

export function createProgramLog(log: Log): ProgramLog {
  const linesOf = new Map<string, Kept>();
  return {
    add(serverId, use, lines, secrets) {
      const kept = linesOf.get(serverId) ?? { shared: [], person: [], test: [], count: 0 };
      // set again, so that the server that was silent longest comes first
      linesOf.delete(serverId);
      linesOf.set(serverId, kept);
      const shown = lines
        .map((line) => clean(hideSecrets(line, secrets)).slice(0, maxLineChars))
        .filter((line) => line.trim() !== '');
      for (const line of shown) {
        kept[use].push({ number: kept.count++, line });
        log.debug({ server: serverId }, line);
      }
      // of each use its own: one person's program does not push out what the others need
      kept[use].splice(0, kept[use].length - maxLines);
      const [oldest] = linesOf.keys();
      if (linesOf.size > maxServers && oldest !== undefined) linesOf.delete(oldest);
      return shown;
    },
    read(serverId, uses = allUses) {
      const kept = linesOf.get(serverId);
      if (!kept) return [];
      const lines = uses.flatMap((use) => kept[use]).toSorted((a, b) => a.number - b.number);
      return lines.slice(-maxLines).map(({ line }) => line);
    },
  };
}

/** Without colours and characters that control a terminal or reorder text. */
function clean(line: string): string {
  return (
    line
      // oxlint-disable-next-line no-control-regex -- the escape character is what a colour begins with
      .replaceAll(/\u001B\[[0-9;?]{0,32}[A-Za-z]/g, '')
      .replaceAll(/[\p{Cc}\p{Cf}\p{Co}\p{Cs}\u2028\u2029]/gu, ' ')
  );
}
