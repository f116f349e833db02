import { appendFileSync } from 'node:fs';

/**
 * Returns the size for a test of an invariant: the short form in `npm test`, the full size in `npm run prove --
 * <name>`, which sets the environment.
 */
export function atFullSize<T>({ full, short }: { full: T; short: T }): T {
  return process.env['PROOF_SIZE'] === 'full' ? full : short;
}

/** Whether figures are judged: in `npm run limits` and `npm run prove`. */
export function areLimitsHeld(): boolean {
  return process.env['SOUK_LIMITS'] !== undefined || process.env['PROOF_SIZE'] === 'full';
}

/** Says in one line what a proof measured. `npm run prove` puts it into docs/reliability.md. */
export function printFigure(text: string): void {
  process.stdout.write(`measured: ${text}\n`);
  const file = process.env['PROOF_FIGURES'];
  if (file !== undefined) appendFileSync(file, `${text}\n`);
}
