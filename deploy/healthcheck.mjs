// Checks whether the broker of this container responds. The image has no curl, and needs no shell.
const port = process.env.PORT || 3000;
const answer = await fetch(`http://127.0.0.1:${port}/healthz`, { signal: AbortSignal.timeout(4_000) }).catch(
  () => undefined,
);
process.exitCode = answer?.ok ? 0 : 1;
