const key = 'souk.client';

/** The client that this person looked at last, so that the panel opens on it everywhere. Undefined where storage is refused. */
export function readChosenClient(): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

/** Remembers the client; a browser that refuses storage only forgets it. */
export function storeChosenClient(id: string): void {
  try {
    localStorage.setItem(key, id);
  } catch {
    // private windows may refuse; the panel then opens on its first client
  }
}
