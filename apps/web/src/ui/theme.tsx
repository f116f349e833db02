import { themeStorageKey } from '@souk/contract/pages.ts';
import { useSyncExternalStore } from 'react';

/** system follows the operating system. The other two are the user's choice, stored in this browser. */
export type Theme = 'system' | 'light' | 'dark';

const listeners = new Set<() => void>();

function read(): Theme {
  try {
    const stored = localStorage.getItem(themeStorageKey);
    return stored === 'light' || stored === 'dark' ? stored : 'system';
  } catch {
    // storage may be forbidden
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
// another tab changed it
window.addEventListener('storage', (event) => {
  if (event.key === themeStorageKey || event.key === null) apply(read());
});

export function setTheme(theme: Theme): void {
  try {
    if (theme === 'system') localStorage.removeItem(themeStorageKey);
    else localStorage.setItem(themeStorageKey, theme);
  } catch {
    // applies until the page is left
  }
  apply(theme);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}

/** Returns the chosen theme. Importing this file applies the stored one before the first render. */
export function useTheme(): Theme {
  return useSyncExternalStore(subscribe, () => current);
}
