let isMissing = false;

/** Notes that a part of the program could not be fetched. A browser may keep that failure until the page is loaded again. */
export function watchForMissingFiles(): void {
  window.addEventListener('vite:preloadError', () => {
    isMissing = true;
  });
}

/**
 * Loads the page again where a part of the program could not be fetched, and the broker answers now.
 * @returns whether the page is loaded again
 */
export async function reloadForMissingFile(): Promise<boolean> {
  if (!isMissing || !(await isAnswering())) return false;
  window.location.reload();
  return true;
}

/** Without it a page that is loaded again would leave nothing but the browser's own error page. */
export async function isAnswering(): Promise<boolean> {
  try {
    await fetch('/healthz', { cache: 'no-store' });
    return true;
  } catch {
    return false;
  }
}
