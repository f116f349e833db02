/**
 * Writes a row in the text format of PostgreSQL's COPY: a line with columns separated by tabs, \N for null.
 * @see https://www.postgresql.org/docs/18/sql-copy.html "Text Format"
 */
export function encodeRow(values: readonly (string | null)[]): string {
  return `${values.map((value) => (value === null ? '\\N' : escape(value))).join('\t')}\n`;
}

const escapes: Readonly<Record<string, string>> = { '\\': '\\\\', '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const unescapes: Readonly<Record<string, string>> = { n: '\n', r: '\r', t: '\t', '\\': '\\' };

const escape = (text: string): string => text.replace(/[\\\n\r\t]/g, (character) => escapes[character] ?? character);

/** @param line without its line feed @throws Error for an escape that `encodeRow` does not write */
export function decodeRow(line: string): (string | null)[] {
  return line.split('\t').map((field) => (field === '\\N' ? null : unescape(field)));
}

function unescape(field: string): string {
  return field.replace(/\\(.?)/gs, (_, character: string) => {
    const text = unescapes[character];
    if (text === undefined) throw new Error(`the escape \\${character} is unknown`);
    return text;
  });
}
