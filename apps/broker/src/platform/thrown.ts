/** The code of an error, such as Node's ENOENT or an SQLSTATE; undefined for anything without one. */
export function codeOf(error: unknown): string | undefined {
  return error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : undefined;
}

/** The code of an error, or else its name. A host with several addresses fails once for each: then of the first failure. */
export function codeOrName(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown';
  const first: unknown = error instanceof AggregateError ? error.errors[0] : undefined;
  return codeOf(error) ?? (first === undefined ? error.name : codeOrName(first));
}

/** The message of an error, or any other thrown value as text. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** The thrown value itself if it is an Error, otherwise an Error with its text. */
export function errorOf(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
