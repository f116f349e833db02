import { useLocation } from '@tanstack/react-router';
import { useEffect } from 'react';

/** Time for which the section is kept in view: data above it may arrive later and push it down. */
const followForMs = 2_000;
const userEvents = ['wheel', 'touchstart', 'pointerdown', 'keydown'] as const;

/** Scrolls to the section that the address names and focuses it, once it is there, until the user scrolls or types. */
export function useSectionOfHash(): void {
  // changes at each navigation, also to the same address
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
    const timer = setTimeout(end, followForMs);
    for (const type of userEvents) addEventListener(type, end, { signal: over.signal, passive: true });
    // the screen focuses its heading, and the palette returns the focus when it closes
    addEventListener('focusin', show, { signal: over.signal });
    observer.observe(document.body, { childList: true, subtree: true });
    show();
    return end;
  }, [location]);
}
