import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Time to wait for the heading of a screen that shows placeholders first. */
const headingWithinMs = 3_000;

/** Path of the screens that end a sign-in and redirect. */
const signInPath = '/auth/';

/**
 * Moves the focus to the heading of a screen that a link, Back or a sign-in has opened: a screen reader reads its name,
 * and Tab continues from there. Other redirects leave the focus where it is.
 */
export function useHeadingFocus(): void {
  const router = useRouter();
  useEffect(() => {
    let isRedirect = false;
    let stopWaiting = () => {};
    const stopHistory = router.history.subscribe(({ action }) => {
      isRedirect = action.type === 'REPLACE';
    });
    const stopRouter = router.subscribe('onRendered', ({ fromLocation, pathChanged }) => {
      stopWaiting();
      if (!fromLocation || !pathChanged) return;
      if (!isRedirect || fromLocation.pathname.startsWith(signInPath)) stopWaiting = focusHeading();
    });
    return () => {
      stopWaiting();
      stopHistory();
      stopRouter();
    };
  }, [router]);
}

/** A dialog that the user has opened meanwhile, such as the palette, in which they type. */
const openDialog = '[role="dialog"]:not([data-closed]), [role="alertdialog"]:not([data-closed])';

/**
 * Focuses the heading of the screen, and a heading that replaces it while the screen loads.
 * @returns a function that stops waiting
 */
function focusHeading(): () => void {
  const main = document.querySelector('main');
  if (!main) return () => {};
  let focused: HTMLElement | undefined;
  const focus = () => {
    const heading = main.querySelector<HTMLElement>('h1');
    const focusIsElsewhere = focused !== undefined && document.activeElement !== document.body;
    if (!heading || heading === focused || focusIsElsewhere || document.activeElement?.closest(openDialog)) return;
    heading.tabIndex = -1;
    heading.focus({ preventScroll: true });
    focused = heading;
  };
  focus();
  const observer = new MutationObserver(focus);
  observer.observe(main, { childList: true, subtree: true });
  const timeout = setTimeout(() => observer.disconnect(), headingWithinMs);
  return () => {
    clearTimeout(timeout);
    observer.disconnect();
  };
}
