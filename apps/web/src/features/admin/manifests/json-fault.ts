type Wanted = 'value' | 'value or ]' | 'name' | 'name or }' | ':' | ', or end' | 'nothing';

/**
 * Where a text stops being JSON. The texts of browsers for it differ, and some quote the document.
 * @returns the index of the first character that does not fit, the length of a text that ends too early; undefined: it is JSON
 */
export function jsonFaultAt(text: string): number | undefined {
  const open: ('{' | '[')[] = [];
  let wanted: Wanted = 'value';
  let at = 0;
  const afterValue = (): Wanted => (open.length === 0 ? 'nothing' : ', or end');
  const close = (): Wanted => {
    open.pop();
    return afterValue();
  };
  for (;;) {
    at = skip(text, at, ' \t\n\r');
    const character = text[at];
    if (character === undefined) return wanted === 'nothing' ? undefined : at;
    const top = open.at(-1);
    if (wanted === ':' && character === ':') wanted = 'value';
    else if (wanted === ', or end' && character === ',') wanted = top === '{' ? 'name' : 'value';
    else if (character === '}' && (wanted === 'name or }' || (wanted === ', or end' && top === '{'))) wanted = close();
    else if (character === ']' && (wanted === 'value or ]' || (wanted === ', or end' && top === '['))) wanted = close();
    else if (wanted === 'name' || wanted === 'name or }' || wanted === 'value' || wanted === 'value or ]') {
      const isName = wanted === 'name' || wanted === 'name or }';
      if (!isName && (character === '{' || character === '[')) {
        open.push(character);
        wanted = character === '{' ? 'name or }' : 'value or ]';
      } else {
        const end = character === '"' ? endOfString(text, at) : isName ? undefined : endOfWord(text, at);
        if (end === undefined) return character === '"' && text.indexOf('"', at + 1) === -1 ? text.length : at;
        wanted = isName ? ':' : afterValue();
        at = end;
        continue;
      }
    } else return at;
    at += 1;
  }
}

function skip(text: string, from: number, characters: string): number {
  let at = from;
  while (at < text.length && characters.includes(text.charAt(at))) at += 1;
  return at;
}

/** @param at of its first quote. @returns the index after its last one; undefined where it is none */
function endOfString(text: string, at: number): number | undefined {
  for (let end = at + 1; end < text.length; end += 1) {
    const character = text.charAt(end);
    if (character === '"') return isJson(text.slice(at, end + 1)) ? end + 1 : undefined;
    if (character === '\\') end += 1;
  }
  return undefined;
}

/** The same of a number, true, false and null. */
function endOfWord(text: string, at: number): number | undefined {
  let end = at;
  while (end < text.length && !' \t\n\r,:{}[]"'.includes(text.charAt(end))) end += 1;
  return end > at && isJson(text.slice(at, end)) ? end : undefined;
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
