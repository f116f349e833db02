import { ApiError } from '@souk/contract/client.ts';

/** Returns the message of any error, or the specification's text for an unexpected one. */
export function failureText(error: unknown): string {
  return error instanceof Error && error.message !== '' ? error.message : 'An unexpected error occurred';
}

/**
 * Returns the two lines of a failed call: the specification's text of the call, and the reason if it adds something.
 * @param title 'Failed to fetch PATs' and the like (spec part 1, section 8)
 */
export function describeFailure(title: string, error: unknown): { title: string; reason: string | undefined } {
  const reason = error instanceof ApiError ? failureText(error) : 'An unexpected error occurred';
  return { title, reason: reason === title ? undefined : reason };
}

/** describeFailure as one line. */
export function failureLine(title: string, error: unknown): string {
  const { reason } = describeFailure(title, error);
  return reason === undefined ? title : `${title}: ${reason}`;
}
