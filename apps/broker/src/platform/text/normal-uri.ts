/** Longer addresses are not normalized. */
const maxCharacters = 2048;

/**
 * Normalizes an address or a template (RFC 3986, section 6.2.2), since clients and servers differ in the case of scheme and
 * host, and in what they percent-encode. Decodes what need not be encoded, and encodes spaces and letters beyond ASCII;
 * reserved characters stay as they are, and so do the braces of templates.
 */
export function normalUri(uri: string): string {
  const scheme = uri.length > maxCharacters ? undefined : /^[A-Za-z][A-Za-z0-9+.-]*:/.exec(uri)?.[0];
  if (scheme === undefined) return uri;
  const rest = uri.slice(scheme.length);
  const end = rest.startsWith('//') ? endOfAuthority(rest) : 0;
  const user = rest.lastIndexOf('@', end) + 1;
  const authority = end > user ? rest.slice(0, user) + rest.slice(user, end).toLowerCase() : rest.slice(0, end);
  return scheme.toLowerCase() + recode(authority) + recode(rest.slice(end));
}

function endOfAuthority(rest: string): number {
  const at = rest.slice(2).search(/[/?#]/);
  return at === -1 ? rest.length : at + 2;
}

function recode(text: string): string {
  if (/^[\w.~:/?#[\]@!$&'()*+,;={}-]*$/.test(text)) return text;
  return text
    .toWellFormed()
    .replaceAll(/%[0-9A-Fa-f]{2}/g, (encoded) => {
      const plain = String.fromCharCode(Number.parseInt(encoded.slice(1), 16));
      return /[A-Za-z0-9._~-]/.test(plain) ? plain : encoded.toUpperCase();
    })
    .replaceAll(/[^\w.~:/?#[\]@!$&'()*+,;={}%-]/gu, (character) => encodeURIComponent(character));
}
