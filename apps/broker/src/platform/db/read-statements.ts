import { readFileSync } from 'node:fs';

/**
 * Reads the statements of an SQL file, which PGlite takes one at a time. A semicolon with an empty line after it ends a
 * statement, so that the body of a function has no empty line after one of its own.
 */
export function readStatements(path: string): string[] {
  return readFileSync(path, 'utf8')
    .split(/;\n(?:\n|$)/)
    .filter((statement) => statement.trim() !== '');
}
