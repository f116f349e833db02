import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';

/** A screen may show placeholders first: its heading is waited for no longer than this. */
const headingWithinMs = 3_000;

/** A sign-in ends on these screens, which send the person on. */
const ofSignIn = '/auth/';

/**
 * After a link, Back or a sign-in has changed the screen, moves the focus to its heading: a screen reader then reads the
 * new screen's name, and Tab goes on from there. Other redirects leave the focus where it is.
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
      if (!isRedirect || fromLocation.pathname.startsWith(ofSignIn)) stopWaiting = focusHeading();
    });
    return () => {
      stopWaiting();
      stopHistory();
      stopRouter();
    };
  }, [router]);
}

/** A dialog that a person has opened meanwhile, the palette for example: they type into it. */
const openDialog = '[role="dialog"]:not([data-closed]), [role="alertdialog"]:not([data-closed])';

/**
 * Focuses the heading of the screen, and the one that replaces it while the screen is still loading.
 * @returns a function that stops waiting for it
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
