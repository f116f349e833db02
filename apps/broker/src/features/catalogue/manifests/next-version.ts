/** Longest version (contract, manifest.ts). */
const maxCharacters = 40;

/**
 * Returns a free version for a change on top of one: its last number, the patch number of a semantic version, is raised
 * until it is free. A version that does not end with a number gets one.
 * @param taken all versions of the server
 */
export function nextVersion(version: string, taken: ReadonlySet<string>): string {
  const [, stem = '', digits = ''] = /^(.*?)(\d{1,15})$/.exec(version) ?? [version, `${version}.`, '0'];
  for (let number = Number(digits) + 1; ; number += 1) {
    const raised = String(number).padStart(digits.length, '0');
    const next = `${stem.slice(0, maxCharacters - raised.length)}${raised}`;
    if (!taken.has(next)) return next;
  }
}
