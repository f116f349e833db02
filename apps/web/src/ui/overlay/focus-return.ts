/**
 * Where the focus goes when a dialog closes: back to what had it, or, where the work of the dialog has taken that away, to the
 * heading of the part of the page around it. Asked when the dialog opens.
 */
export function rememberFocus(): (popup: HTMLElement | null) => HTMLElement | boolean {
  const opener = document.activeElement;
  const part = opener?.closest('article, section, main');
  return (popup) => {
    const now = document.activeElement;
    // another dialog, or the page, has taken it meanwhile
    if (now && now !== document.body && !popup?.contains(now)) return false;
    if (opener instanceof HTMLElement && opener !== document.body && isThere(opener)) return opener;
    const heading =
      (part?.isConnected ? part.querySelector<HTMLElement>('h1, h2, h3') : undefined) ??
      document.querySelector<HTMLElement>('main h1');
    if (!heading) return true;
    heading.tabIndex = -1;
    return heading;
  };
}

const isThere = (element: HTMLElement): boolean => element.isConnected && !element.matches(':disabled');
