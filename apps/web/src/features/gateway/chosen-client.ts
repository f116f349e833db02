const key = 'souk.client';

/** The client that this person chose last; every panel opens on it. Undefined where storage is refused. */
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
