/**
 * The data of each message event in whole server-sent events (WHATWG HTML, section 9.2.6). Events of another type and
 * empty ones are passed over.
 */
export function eventData(text: string): string[] {
  const found: string[] = [];
  let data: string | undefined;
  let type = '';
  for (const line of text.split(/\r\n|\n|\r/)) {
    if (line === '') {
      if (data !== undefined && data !== '' && (type === '' || type === 'message')) found.push(data);
      data = undefined;
      type = '';
      continue;
    }
    const colon = line.indexOf(':');
    const field = colon === -1 ? line : line.slice(0, colon);
    const value = colon === -1 ? '' : line.slice(line[colon + 1] === ' ' ? colon + 2 : colon + 1);
    if (field === 'data') data = data === undefined ? value : `${data}\n${value}`;
    else if (field === 'event') type = value;
  }
  return found;
}
