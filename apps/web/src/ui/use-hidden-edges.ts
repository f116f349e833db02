import { useEffect, useState, type RefObject } from 'react';

export type HiddenEdges = 'none' | 'start' | 'end' | 'both';

/** Smaller overflows cannot be seen: zoomed pages leave fractions of a pixel. */
const tolerancePx = 2;

/**
 * Returns the edges behind which a sideways scrolling element hides content. Follows scrolling and changes of width.
 */
export function useHiddenEdges(ref: RefObject<HTMLElement | null>): HiddenEdges {
  const [hidden, setHidden] = useState<HiddenEdges>('none');
  useEffect(() => {
    const element = ref.current;
    if (!element) return undefined;
    const look = () => {
      const { scrollLeft, scrollWidth, clientWidth } = element;
      const start = scrollLeft > tolerancePx;
      const end = scrollWidth - clientWidth - scrollLeft > tolerancePx;
      setHidden(start && end ? 'both' : start ? 'start' : end ? 'end' : 'none');
    };
    const observer = new ResizeObserver(look); // reports the first size too
    for (const one of [element, ...element.children]) observer.observe(one);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [ref]);
  return hidden;
}
