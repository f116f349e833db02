/** A content line (RFC 5545, section 3.1). */
export type IcsLine = { name: string; parameters: ReadonlyMap<string, string>; value: string };

const maxOctets = 75;

/** Folds `NAME:value` at 75 octets without splitting a character, and ends it with CRLF. */
export function foldLine(line: string): string {
  const pieces: string[] = [];
  let piece = '';
  let octets = 0;
  for (const character of line) {
    const size = Buffer.byteLength(character);
    // The space that begins a continued line counts too.
    if (octets + size > maxOctets) {
      pieces.push(piece);
      piece = '';
      octets = 1;
    }
    piece += character;
    octets += size;
  }
  return `${[...pieces, piece].join('\r\n ')}\r\n`;
}

/** Escapes a TEXT value (section 3.3.11). */
export function escapeText(text: string): string {
  return text
    .replaceAll('\\', '\\\\')
    .replaceAll(';', '\\;')
    .replaceAll(',', '\\,')
    .replaceAll(/\r\n|\n|\r/g, '\\n');
}

export function unescapeText(text: string): string {
  return text.replaceAll(/\\([\\;,nN])/g, (_, mark: string) => (mark.toLowerCase() === 'n' ? '\n' : mark));
}

/** Unfolds and parses the content lines of a file; other lines are ignored. */
export function parseLines(ics: string): IcsLine[] {
  return ics
    .replace(/^\uFEFF/, '')
    .replaceAll(/\r?\n[ \t]/g, '')
    .split(/\r?\n/)
    .flatMap((line) => parseLine(line) ?? []);
}

function parseLine(line: string): IcsLine | undefined {
  // A colon or semicolon inside quotes belongs to a parameter's value.
  const match = /^([A-Za-z0-9-]+)((?:;[A-Za-z0-9-]+=(?:"[^"]*"|[^";:,]*)(?:,(?:"[^"]*"|[^";:,]*))*)*):(.*)$/.exec(line);
  if (!match) return undefined;
  const [, name = '', parameterText = '', value = ''] = match;
  const parameters = new Map<string, string>();
  for (const [, key = '', quoted, bare] of parameterText.matchAll(/;([A-Za-z0-9-]+)=(?:"([^"]*)"|([^;]*))/g)) {
    parameters.set(key.toUpperCase(), quoted ?? bare ?? '');
  }
  return { name: name.toUpperCase(), parameters, value };
}
