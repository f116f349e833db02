export async function timed<Answer>(act: () => Promise<Answer>): Promise<{ answer: Answer; ms: number }> {
  const begun = performance.now();
  const answer = await act();
  return { answer, ms: performance.now() - begun };
}
