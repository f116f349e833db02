import { useEffect, useRef, type RefObject } from 'react';

/**
 * Renders a third-party widget in a shadow root. Its styles would violate the content security policy in the document, but are
 * adopted as style sheets of a shadow root.
 * @param draw returns the handle that removes the widget; called again when one of `on` changes
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
    // oxlint-disable-next-line react-hooks/exhaustive-deps -- the caller passes the dependencies
  }, on);
  return host;
}
