import type { SuiteVerdict } from './run-suite.ts';

export type Leg = { name: string } & SuiteVerdict;

/** Scenarios of unsupported extensions, which may fail unscored, and known warnings of the suite, with the reasons. */
const notOurs: readonly [RegExp, string][] = [
  [/^tasks-/, 'the tasks extension is not offered'],
  [/^auth\/client-credentials-/, 'only users sign in to a server, never a client alone'],
  [/^auth\/wif-/, 'only users sign in to a server, never a workload'],
  [/^auth\/enterprise-managed-/, 'enterprise identity providers are not supported'],
  [/^auth\/dpop/, 'tokens are bearer tokens'],
  [/^auth\/basic-cimd$/, 'each server has its own client document, but the suite expects one address'],
];

/**
 * Prints the result of each leg in a row, and lists every scenario that is not clean or not scored.
 * @returns whether every leg conforms and ran at least one scenario
 */
export function concludeLegs(legs: readonly Leg[]): boolean {
  const conforms = legs.map((leg) => leg.ok && leg.scenarios.some(({ notScored }) => notScored === undefined));
  console.log('leg                scenarios  passed  failed  warnings  not scored');
  for (const [index, { name, scenarios, output }] of legs.entries()) {
    const scored = scenarios.filter(({ notScored }) => notScored === undefined);
    const sum = (key: 'passed' | 'failed' | 'warnings') => scored.reduce((total, one) => total + one[key], 0);
    const cells = [
      name.padEnd(18),
      String(scored.length).padStart(9),
      String(sum('passed')).padStart(7),
      String(sum('failed')).padStart(7),
      String(sum('warnings')).padStart(9),
      String(scenarios.length - scored.length).padStart(11),
    ];
    console.log(`${cells.join(' ')}  ${conforms[index] === true ? 'ok' : 'NOT CONFORMING'}`);
    if (conforms[index] !== true) console.error(`\n${name}\n${output}\n`);
  }
  for (const { name, scenarios } of legs) {
    for (const { scenario, failed, warnings, notScored } of scenarios) {
      if (failed === 0 && warnings === 0 && notScored === undefined) continue;
      const outcome = failed > 0 ? `${failed} failed` : warnings > 0 ? `${warnings} warnings` : 'passed';
      const reason = failed + warnings > 0 ? notOurs.find(([names]) => names.test(scenario))?.[1] : undefined;
      const unscored = notScored === undefined ? '' : `, not scored (${notScored})`;
      console.log(`${name}: ${scenario}: ${outcome}${unscored}${reason === undefined ? '' : `: ${reason}`}`);
    }
  }
  return legs.length > 0 && !conforms.includes(false);
}
