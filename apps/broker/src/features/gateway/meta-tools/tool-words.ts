/**
 * Words as the tool search compares them: in lower case, with camelCase and snake_case split and endings removed. English
 * only, because tools are described in English.
 */
export function wordsOf(text: string): string[] {
  const apart = text.replaceAll(/([a-z\d])([A-Z])/g, '$1 $2').toLowerCase();
  return (apart.match(/[\p{L}\p{N}]+/gu) ?? []).filter((word) => !emptyWords.has(word)).map(stemOf);
}

export function synonymsOf(stem: string): readonly string[] {
  return synonyms.get(stem) ?? [];
}

const emptyWords: ReadonlySet<string> = new Set(
  `a about all also am an and any are as at be been but by can could do does for from had has have how i if in into is it
   its just like me my need needs no not of on one or our out please so some than that the their them then there these
   they this those to up us want was we what when where which who why will with would you your`.split(/\s+/),
);

/** Light stemming: plural, -ing, -ed, -er, -ly. Its mistakes are the same for queries and tools. */
function stemOf(word: string): string {
  if (word.length <= 3 || /\d/.test(word)) return word;
  let stem = word;
  if (stem.endsWith('ies') && stem.length > 4) stem = `${stem.slice(0, -3)}y`;
  else if (/(ss|x|ch|sh)es$/.test(stem)) stem = stem.slice(0, -2);
  else if (stem.endsWith('s') && !/(ss|us|is)$/.test(stem)) stem = stem.slice(0, -1);
  const ending = /^(.{3,}?)(ingly|edly|ion|ing|ed|er|or|ly|ment)$/.exec(stem);
  if (ending?.[1] !== undefined) stem = ending[1];
  // plan, planned; copy, copied; note, noting
  if (/([b-df-hj-np-tv-z])\1$/.test(stem) && !/(ll|ss|zz)$/.test(stem)) stem = stem.slice(0, -1);
  if (stem.length > 3 && stem.endsWith('i')) stem = `${stem.slice(0, -1)}y`;
  if (stem.length > 3 && stem.endsWith('e')) stem = stem.slice(0, -1);
  return stem;
}

const groups = [
  'add create make new insert put save store write register schedule book',
  'change edit modify update alter replace rename set adjust',
  'delete remove erase drop clear cancel discard forget',
  'list show browse display enumerate overview',
  'find search look lookup query locate discover',
  'get read fetch retrieve open load view see contents',
  'send post submit publish deliver',
  'move reschedule shift relocate postpone',
  'compare versus difference',
  'calculate compute estimate measure count total sum',
  'file document',
  'folder directory',
  'picture image photo',
  'note memo jot',
  'calendar agenda schedule week today tomorrow',
  'event meeting appointment',
  'mail email message',
  'trip journey route itinerary travel tour',
  'flight fly flying plane',
  'time clock hour',
  'free available gap open',
  'memory remember recall knowledge fact',
  'think thought reason reflect problem',
  'zip compress gzip archive pack',
  'weather forecast temperature climate',
  'price cost fare amount',
  'customer client account',
  'ticket issue bug',
  'translate translation language',
  'user person people member',
  'far distance length kilometre kilometer mile',
  'carbon emission co2 climate',
  'sun sunrise sunset daylight dawn dusk',
  'export download backup',
  'import upload',
  'environment env variable configuration',
].map((group) => [...new Set(group.split(' ').map(stemOf))]);

const synonyms: ReadonlyMap<string, readonly string[]> = (() => {
  const found = new Map<string, string[]>();
  for (const group of groups) {
    for (const word of group) {
      const others = group.filter((other) => other !== word);
      found.set(word, [...(found.get(word) ?? []), ...others]);
    }
  }
  return found;
})();
