/** A test that failed once, passed when rerun alone, and is not fixed yet. */
export type UnsteadyTest = {
  file: string;
  name: string;
  /** Day of its first failure, as in 2026-11-28. */
  since: string;
  firstFailure: string;
  known: string;
};

/** Known unsteady tests. Each entry is a defect with a deadline: after seven days, or as the fourth entry, it fails `npm test`. */
export const unsteadyTests: readonly UnsteadyTest[] = [];

const mostEntries = 3;
const mostDays = 7;
const dayMs = 24 * 60 * 60 * 1000;

export function problemsOf(list: readonly UnsteadyTest[], nowMs: number): string[] {
  const problems = list
    .filter(({ since }) => nowMs - Date.parse(since) >= mostDays * dayMs)
    .map(({ file, name, since }) => `${file} > ${name}: unsteady since ${since}, at most ${mostDays} days are allowed`);
  if (list.length > mostEntries) {
    problems.push(
      `${list.length} tests are listed in scripts/tests/unsteady-tests.ts, at most ${mostEntries} are allowed`,
    );
  }
  return problems;
}
