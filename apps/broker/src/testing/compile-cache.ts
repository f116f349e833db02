/**
 * Returns environment variables that let a program use the code that Node compiled for the last run (vitest.config.ts).
 */
export function compileCache(): Record<string, string> {
  const folder = process.env['NODE_COMPILE_CACHE'];
  return folder === undefined ? {} : { NODE_COMPILE_CACHE: folder };
}
