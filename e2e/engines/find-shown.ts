/** Kinds of elements that a user can distinguish on a page. */
export type Kind = 'button' | 'switch that is on' | 'switch that is off' | 'field' | 'option' | 'menuitem' | 'heading';

/**
 * Finds the first visible element of this kind whose name matches. Runs in the page. Elements behind an open dialog and busy
 * elements are not found: they take no clicks.
 * @param toClick scrolls it into view. It is found once nothing covers it (a dialog that is still closing would take the click)
 *   and it has not moved since the last search (a click would miss a moving element)
 */
export function findShown(kind: Kind, name: string, toClick = false): Element | null {
  const selectors = {
    button: 'button:not([role]), [role=button]',
    'switch that is on': '[role=switch][aria-checked=true]',
    'switch that is off': '[role=switch][aria-checked=false]',
    field: 'input, textarea, select',
    option: '[role=option]',
    menuitem: '[role=menuitem]',
    heading: 'h1, h2, h3',
  };
  const textOf = (element: Element | null) => (element?.textContent ?? '').replace(/\s+/g, ' ').trim();
  const nameOf = (element: Element) => {
    const labelled = element.getAttribute('aria-labelledby');
    if (labelled !== null)
      return labelled
        .split(' ')
        .map((id) => textOf(document.getElementById(id)))
        .join(' ');
    const labels = element instanceof HTMLInputElement ? [...(element.labels ?? [])] : [];
    return element.getAttribute('aria-label') ?? (labels.length > 0 ? labels.map(textOf).join(' ') : textOf(element));
  };
  const pattern = new RegExp(name);
  const found = [...document.querySelectorAll(selectors[kind])].find(
    (element) =>
      element.getClientRects().length > 0 &&
      getComputedStyle(element).visibility !== 'hidden' &&
      element.closest('[inert], [aria-hidden=true], [aria-busy=true]') === null &&
      pattern.test(nameOf(element)),
  );
  if (!found || !toClick) return found ?? null;
  found.scrollIntoView({ block: 'center', behavior: 'instant' });
  const { x, y, width, height } = found.getBoundingClientRect();
  const place = [x, y, width, height].join(' ');
  const before = Reflect.get(found, 'lastPlace');
  Reflect.set(found, 'lastPlace', place);
  const top = document.elementFromPoint(x + width / 2, y + height / 2);
  const isOnTop = top !== null && (found.contains(top) || top.closest('label')?.control === found);
  return isOnTop && before === place ? found : null;
}
