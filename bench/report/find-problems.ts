import type { CaseResult } from '../measure-case.ts';
import { sum } from './statistics.ts';
import { chargedWord, pairChargedWord } from '../target-names.ts';

/** Number of usage rows of each broker, by outcome. */
export type UsageRows = Partial<Record<string, Record<string, number>>>;

/** Credits charged by each broker's ledger, at one per call, and its number of accounts that do not add up. */
export type Ledgers = Partial<Record<string, { charged: number; faults: number }>>;

/** Describes charges that differ from the paid calls that were answered, and accounts that do not add up. */
export function findLedgerProblems(cases: readonly CaseResult[], ledgers: Ledgers): string[] {
  return Object.entries(ledgers).flatMap(([name, ledger = { charged: 0, faults: 0 }]) => {
    const isCharged = (target: string) => {
      const [, of, word = ''] = target.split(' ');
      return of === name && [chargedWord, pairChargedWord].includes(word);
    };
    const calls = sum(
      cases.flatMap(({ targets }) =>
        targets.filter(({ target }) => isCharged(target)).map(({ callsWithWarmUp }) => callsWithWarmUp),
      ),
    );
    return [
      ...(ledger.charged === calls ? [] : [`${name}: ${calls} paid calls were answered, ${ledger.charged} charged`]),
      ...(ledger.faults === 0 ? [] : [`${name}: ${ledger.faults} accounts do not add up`]),
    ];
  });
}

/** Describes wrong answers, and differences between correct answers and `ok` usage rows. Any problem fails the run. */
export function findProblems(cases: readonly CaseResult[], usage: UsageRows): string[] {
  const problems: string[] = [];
  for (const { upstream, era, clients, targets } of cases) {
    for (const { target, errors, wrongAnswers, firstProblem } of targets) {
      if (errors + wrongAnswers === 0) continue;
      const where = `${upstream}, ${era}, ${clients} clients, ${target}`;
      problems.push(`${where}: ${errors} errors, ${wrongAnswers} wrong answers, first: ${firstProblem}`);
    }
  }
  for (const [name, rows = {}] of Object.entries(usage)) {
    const calls = sum(
      cases.flatMap(({ targets }) =>
        targets.filter(({ target }) => target.split(' ')[1] === name).map(({ callsWithWarmUp }) => callsWithWarmUp),
      ),
    );
    const { ok = 0, ...others } = rows;
    if (ok !== calls || Object.keys(others).length > 0) {
      problems.push(`${name}: ${calls} calls were answered, the database has ${JSON.stringify(rows)}`);
    }
  }
  return problems;
}
