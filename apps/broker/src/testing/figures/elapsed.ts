/**
 * Returns the result of `act`, and how long it took: for figures that a proof reports, or that `limitFigure` judges.
 */
export async function elapsed<T>(act: () => T | Promise<T>): Promise<{ ms: number; result: T }> {
  const begun = performance.now();
  const result = await act();
  return { ms: performance.now() - begun, result };
}
