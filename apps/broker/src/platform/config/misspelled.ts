/** A variable that is set although the product does not read it, and the one that is probably meant. */
export type Misspelled = { name: string; meant: string };

/** Too many words are one letter away from shorter names, such as PORT and HOST: for these only swapped letters count. */
const shortestName = 6;

/**
 * Finds variables that are one letter away from one of ours: a letter too many, too few or wrong, or two swapped
 * (Damerau-Levenshtein distance 1). If the right name is set too, the variable belongs to another program.
 * @param known whole names; `prefixes` are the beginnings of names that the operator completes, such as UPSTREAM_HEADER_
 */
export function findMisspelled(
  environment: NodeJS.ProcessEnv,
  known: ReadonlySet<string>,
  prefixes: readonly string[],
): Misspelled[] {
  const isSet = (name: string) => (environment[name] ?? '').trim() !== '';
  const isOurs = (name: string) => known.has(name) || prefixes.some((prefix) => name.startsWith(prefix));
  return Object.keys(environment)
    .filter((name) => isSet(name) && !isOurs(name))
    .flatMap((name) => {
      const meant = nearest(name, known) ?? nearestWithPrefix(name, prefixes);
      return meant === undefined || isSet(meant) ? [] : [{ name, meant }];
    });
}

export function sayMisspelled({ name, meant }: Misspelled): string {
  return `${name} is not a variable of Souk: did you mean ${meant}?`;
}

function nearest(name: string, known: ReadonlySet<string>): string | undefined {
  for (const each of known) {
    if (each.length < shortestName ? areSwapped(name, each) : isOneAway(name, each)) return each;
  }
  return undefined;
}

function nearestWithPrefix(name: string, prefixes: readonly string[]): string | undefined {
  for (const prefix of prefixes) {
    const starts = [-1, 0, 1].map((more) => name.slice(0, prefix.length + more));
    const near = starts.filter((start) => start.length < name.length && isOneAway(start, prefix));
    // prefer the candidate that ends with _: all of HEADERS_ stands for HEADER_, not only its first letters
    const start = near.find((each) => each.endsWith('_')) ?? near[0];
    if (start !== undefined) return prefix + name.slice(start.length);
  }
  return undefined;
}

function isOneAway(one: string, other: string): boolean {
  if (Math.abs(one.length - other.length) > 1 || one === other) return false;
  if (areSwapped(one, other)) return true;
  const same = sharedStart(one, other);
  const [longer, shorter] = one.length >= other.length ? [one, other] : [other, one];
  return longer.slice(same + 1) === shorter.slice(longer.length === shorter.length ? same + 1 : same);
}

function areSwapped(one: string, other: string): boolean {
  const at = sharedStart(one, other);
  return (
    one.length === other.length &&
    at + 1 < one.length &&
    one[at] === other[at + 1] &&
    one[at + 1] === other[at] &&
    one.slice(at + 2) === other.slice(at + 2)
  );
}

function sharedStart(one: string, other: string): number {
  let at = 0;
  while (at < one.length && one[at] === other[at]) at++;
  return at;
}
