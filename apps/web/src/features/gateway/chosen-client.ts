const key = 'souk.client';

/** Returns the client that the user chose last, on which every panel opens. Undefined if storage is forbidden. */
export function readChosenClient(): string | undefined {
  try {
    return localStorage.getItem(key) ?? undefined;
  } catch {
    return undefined;
  }
}

export function storeChosenClient(id: string): void {
  try {
    localStorage.setItem(key, id);
  } catch {
    // private windows may forbid storage; the panel then opens on its first client
  }
}
