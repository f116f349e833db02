let isMissing = false;

/**
 * Records whether a part of the code could not be fetched. A browser may cache that failure until the page is reloaded.
 */
export function watchForMissingFiles(): void {
  window.addEventListener('vite:preloadError', () => {
    isMissing = true;
  });
}

/**
 * Reloads the page if a part of the code could not be fetched and the broker answers now.
 * @returns whether the page is being reloaded
 */
export async function reloadForMissingFile(): Promise<boolean> {
  if (!isMissing || !(await isAnswering())) return false;
  window.location.reload();
  return true;
}

/** Checks the broker before a reload, which would otherwise leave the browser's own error page. */
export async function isAnswering(): Promise<boolean> {
  try {
    await fetch('/healthz', { cache: 'no-store' });
    return true;
  } catch {
    return false;
  }
}
