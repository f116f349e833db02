/**
 * How much a test of an invariant does: the short form in `npm test`, the full size in `npm run prove -- <name>`, which
 * says so by the environment.
 */
export function atFullSize<T>({ full, short }: { full: T; short: T }): T {
  return process.env['PROOF_SIZE'] === 'full' ? full : short;
}
