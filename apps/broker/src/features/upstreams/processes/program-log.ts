import type { Log } from '#platform/log.ts';

const maxLines = 200;
const maxLineChars = 1000;
const maxServers = 512;
/** Parts of a secret that are shorter, such as the braces of one in JSON, say nothing. */
const shortestSecret = 4;

/** What programs wrote to stderr, and how they ended: for the operator alone, since it may say anything. */
export type ProgramLog = {
  /** @param secrets values that are replaced wherever a line contains them */
  add(serverId: string, lines: readonly string[], secrets: readonly string[]): void;
  /** The last 200 lines of a server's programs, the newest last. */
  read(serverId: string): readonly string[];
};

export function createProgramLog(log: Log): ProgramLog {
  const linesOf = new Map<string, string[]>();
  return {
    add(serverId, lines, secrets) {
      const kept = linesOf.get(serverId) ?? [];
      // set again, so that the server that was silent longest comes first
      linesOf.delete(serverId);
      linesOf.set(serverId, kept);
      const parts = secrets.flatMap((secret) => [secret, ...secret.split('\n')]).map((part) => part.trim());
      // the longest first: one secret may be the beginning of another
      const hidden = parts.filter((part) => part.length >= shortestSecret).toSorted((a, b) => b.length - a.length);
      for (const line of lines) {
        const shown = clean(withoutSecrets(line, hidden)).slice(0, maxLineChars);
        if (shown.trim() === '') continue;
        kept.push(shown);
        log.debug({ server: serverId }, shown);
      }
      kept.splice(0, kept.length - maxLines);
      const [oldest] = linesOf.keys();
      if (linesOf.size > maxServers && oldest !== undefined) linesOf.delete(oldest);
    },
    read: (serverId) => [...(linesOf.get(serverId) ?? [])],
  };
}

function withoutSecrets(line: string, secrets: readonly string[]): string {
  return secrets.reduce((text, secret) => text.replaceAll(secret, '[redacted]'), line);
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
