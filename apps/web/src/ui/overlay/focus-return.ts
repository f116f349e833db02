/**
 * Call it when a dialog opens. The returned function says where the focus goes when the dialog closes: back to its
 * previous place, or to the nearest heading if that element was removed or disabled.
 */
export function rememberFocus(): (popup: HTMLElement | null) => HTMLElement | boolean {
  const opener = document.activeElement;
  const part = opener?.closest('article, section, main');
  return (popup) => {
    const now = document.activeElement;
    // another dialog or the page has taken the focus meanwhile
    if (now && now !== document.body && !popup?.contains(now)) return false;
    if (opener instanceof HTMLElement && opener !== document.body && isUsable(opener)) return opener;
    const heading =
      (part?.isConnected ? part.querySelector<HTMLElement>('h1, h2, h3') : undefined) ??
      document.querySelector<HTMLElement>('main h1');
    if (!heading) return true;
    heading.tabIndex = -1;
    return heading;
  };
}

const isUsable = (element: HTMLElement): boolean => element.isConnected && !element.matches(':disabled');
