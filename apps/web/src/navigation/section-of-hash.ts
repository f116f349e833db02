import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Data above a section may come later, and push it down. */
const settledMs = 2_000;
const ownMoves = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/** Brings the section that the address names into view and gives it the focus, once it is there, until the person moves. */
export function useSectionOfHash(): void {
  // another one at each navigation, also to the same address
  const location = useLocation();
  useEffect(() => {
    const { hash } = location;
    if (hash === '') return;
    const over = new AbortController();
    const observer = new MutationObserver(show);
    function show() {
      const section = document.getElementById(hash);
      if (!section) return;
      if (document.activeElement !== section) section.focus({ preventScroll: true });
      section.scrollIntoView({ block: 'start' });
    }
    function end() {
      observer.disconnect();
      clearTimeout(timer);
      over.abort();
    }
    const timer = setTimeout(end, settledMs);
    for (const move of ownMoves) addEventListener(move, end, { signal: over.signal, passive: true });
    // the screen focuses its title, and the palette gives the focus back once it is closed
    addEventListener('focusin', show, { signal: over.signal });
    observer.observe(document.body, { childList: true, subtree: true });
    show();
    return end;
  }, [location]);
}
