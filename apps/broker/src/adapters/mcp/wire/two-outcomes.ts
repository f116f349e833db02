import { asRecord } from '#platform/json.ts';
import { UpstreamError } from '../upstream-error.ts';

const isGiven = (value: unknown): boolean => value !== undefined && value !== null;

/** Whether an answer has both a result and an error, which is ambiguous (JSON-RPC 2.0, section 5). */
export function hasTwoOutcomes({ method, result, error }: Record<string, unknown>): boolean {
  return isGiven(result) && isGiven(error) && method === undefined;
}

/** Whether a text may have both, so that it has to be parsed. */
export function mayHaveTwoOutcomes(text: string): boolean {
  return text.includes('"error"') && text.includes('"result"');
}

export function twoOutcomes(): UpstreamError {
  return new UpstreamError('bad_upstream', 'the answer has both a result and an error');
}

/** @throws UpstreamError bad_upstream */
export function refuseTwoOutcomes(message: unknown): void {
  const record = asRecord(message);
  if (record && hasTwoOutcomes(record)) throw twoOutcomes();
}
