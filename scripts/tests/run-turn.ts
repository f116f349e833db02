import { runStep, type Folders, type Outcome } from './run-step.ts';
import { testSteps, type Step } from './steps.ts';

/** Runs the steps of one turn concurrently. */
export function runTurn(names: readonly string[], folders: Folders): Promise<Outcome[]> {
  console.log(`\n${names.join(' and ')} tests`);
  const steps = testSteps.filter(({ name }) => names.includes(name));
  const shown = (step: Step) => (step.name === names[0] ? 'live' : 'at the end');
  return Promise.all(steps.map((step) => runStep(step, { ...folders, shown: shown(step) })));
}
