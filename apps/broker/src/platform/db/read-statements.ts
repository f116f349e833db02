import { readFileSync } from 'node:fs';

/**
 * Reads the statements of an SQL file, since PGlite takes them one at a time. A semicolon followed by an empty line ends a
 * statement, so the body of a function must not contain that.
 */
export function readStatements(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split(/;\n(?:\n|$)/)
    .filter((statement) => statement.trim() !== '');
}
