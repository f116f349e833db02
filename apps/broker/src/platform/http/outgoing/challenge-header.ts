/** Longer headers are ignored. Node's own limit for all headers together is 16 KiB. */
const longest = 16 * 1024;
const space: ReadonlySet<string> = new Set([' ', '\t', '\r', '\n']);
const endsToken: ReadonlySet<string> = new Set([...space, ',', '=', '"']);

/**
 * Reads the parameters of the Bearer challenge in a WWW-Authenticate header (RFC 9110, section 11.6.1), by their names in
 * lower case; the first one wins. Reads character by character, since a regular expression would take quadratic time for a
 * hostile header.
 */
export function bearerParameters(header: string | null | undefined): ReadonlyMap<string, string> {
  const text = header && header.length <= longest ? header : '';
  const parameters = new Map<string, string>();
  let inBearer = false;
  let at = 0;

  const skip = (test: (character: string) => boolean) => {
    while (at < text.length && test(text.charAt(at))) at++;
  };
  const token = (): string => {
    const start = at;
    skip((character) => !endsToken.has(character));
    return text.slice(start, at);
  };
  const quoted = (): string => {
    let value = '';
    for (at++; at < text.length && text[at] !== '"'; at++) {
      if (text[at] === '\\') at++;
      value += text.charAt(at);
    }
    at++;
    return value;
  };

  while (at < text.length) {
    skip((character) => space.has(character) || character === ',');
    const name = token();
    skip((character) => space.has(character));
    if (text[at] === '=') {
      at++;
      skip((character) => space.has(character));
      const value = text[at] === '"' ? quoted() : token();
      if (inBearer && name !== '' && !parameters.has(name.toLowerCase())) parameters.set(name.toLowerCase(), value);
    } else if (name !== '') inBearer = name.toLowerCase() === 'bearer';
    // a quoted text outside a parameter
    else if (text[at] === '"') quoted();
  }
  return parameters;
}
