import type { CaseResult, TargetResult } from '../measure-case.ts';

export const goodResult: TargetResult = {
  target: 'souk pglite',
  callsPerSecond: 100,
  ratio: 0.5,
  ratios: [0.5],
  p50Ms: 1,
  p99Ms: 2,
  addedP50Ms: 1,
  addedP99Ms: 1,
  cpuMsPerCall: 1,
  databaseCpuMsPerCall: undefined,
  peakMemoryMb: 100,
  calls: 100,
  callsWithWarmUp: 120,
  errors: 0,
  wrongAnswers: 0,
  firstProblem: undefined,
};

export function caseWith(...targets: TargetResult[]): CaseResult {
  return { upstream: 'raw', era: 'modern', clients: 1, coreSpeed: 500, loadAverage: 0, targets };
}
