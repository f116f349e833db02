import { themeStorageKey } from '@souk/contract/pages.ts';
import { useSyncExternalStore } from 'react';

/** system: as the machine says. The other two are a person's own choice, kept in this browser. */
export type Theme = 'system' | 'light' | 'dark';

const listeners = new Set<() => void>();

function read(): Theme {
  try {
    const stored = localStorage.getItem(themeStorageKey);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    // storage may be forbidden: the system's theme is a good one
    return 'system';
  }
}

let current = read();

function apply(theme: Theme): void {
  current = theme;
  const { classList } = document.documentElement;
  classList.toggle('light', theme === 'light');
  classList.toggle('dark', theme === 'dark');
  for (const listener of listeners) listener();
}

apply(current);
// another tab of ours changed it
window.addEventListener('storage', (event) => {
  if (event.key === themeStorageKey || event.key === null) apply(read());
});

/** Sets the theme, here and in other tabs, and remembers it. */
export function setTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(themeStorageKey);
    else localStorage.setItem(themeStorageKey, theme);
  } catch {
    // it holds until the page is left
  }
  apply(theme);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** The chosen theme. Importing this file applies the stored one before anything is drawn. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, () => current);
}
