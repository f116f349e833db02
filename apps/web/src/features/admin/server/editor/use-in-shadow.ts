import { useEffect, useRef, type RefObject } from 'react';

/**
 * A box whose content is drawn by a program of others in a shadow root: the styles that it brings would break the content
 * security policy in the document, and are taken as sheets of the root here.
 * @param draw answers what takes it away again; the box is drawn anew when one of `on` changes
 */
export function useInShadow(
  draw: (root: ShadowRoot) => { destroy(): void },
  on: readonly unknown[],
): RefObject<HTMLDivElement | null> {
  const host = useRef<HTMLDivElement>(null);
  const latest = useRef(draw);
  latest.current = draw;
  useEffect(() => {
    if (!host.current) return undefined;
    const drawn = latest.current(host.current.shadowRoot ?? host.current.attachShadow({ mode: 'open' }));
    return () => drawn.destroy();
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the caller says on what it depends
  }, on);
  return host;
}
