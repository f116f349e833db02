/** A variable that is set and that no part of the product reads, and the one that is probably meant. */
export type Misspelled = { name: string; meant: string };

/** Of shorter names, such as PORT and HOST, too many words are one letter away: only two letters changed places count there. */
const shortestName = 6;

/**
 * Finds variables that are one letter away from one of ours: a letter too many, too few or wrong, or two that changed places
 * (Damerau-Levenshtein distance 1). One whose right name is set too is somebody else's.
 * @param known whole names; `prefixes` those whose end the operator chooses, such as UPSTREAM_HEADER_
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

/** What to tell of it. */
export function sayMisspelled({ name, meant }: Misspelled): string {
  return `${name} is not read by anything here: did you mean ${meant}?`;
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
    // the whole of HEADERS_ is meant for HEADER_, and not its first letters
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
