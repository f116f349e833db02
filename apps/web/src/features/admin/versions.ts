/** Whether a manifest's version is later than another: 1.10.0 is later than 1.9.0 and 1.10.0-rc.1. */
export function isLaterVersion(version: string, other: string): boolean {
  const [a, b] = [partsOf(version), partsOf(other)];
  const byNumbers = compare(a.numbers, b.numbers);
  if (byNumbers !== 0) return byNumbers > 0;
  if (a.preRelease === '' || b.preRelease === '') return a.preRelease === '' && b.preRelease !== '';
  return compare(a.preRelease, b.preRelease) > 0;
}

const { compare } = new Intl.Collator('en', { numeric: true });

/** Splits a version. The build after a plus doesn't count (Semantic Versioning, section 10). */
function partsOf(version: string): { numbers: string; preRelease: string } {
  const [released = ''] = version.split('+');
  const [numbers = '', ...preRelease] = released.split('-');
  return { numbers, preRelease: preRelease.join('-') };
}
