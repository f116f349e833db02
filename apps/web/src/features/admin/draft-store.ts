/**
 * Unsent text of an administrator. It stays in this browser tab when they leave the screen, a call fails or their session
 * ends. Another account in the same tab never sees it.
 */
const prefix = 'souk.admin-draft';

const keyOf = (userId: string, name: string) => `${prefix}.${userId}.${name}`;

/** @param name of the field, such as `upload` or the id of a server */
export function readDraft(userId: string, name: string): string | undefined {
  try {
    return window.sessionStorage.getItem(keyOf(userId, name)) ?? undefined;
  } catch {
    return undefined; // storage is forbidden: the draft lasts as long as the screen
  }
}

/** @param text undefined deletes the draft */
export function writeDraft(userId: string, name: string, text: string | undefined): void {
  try {
    if (text === undefined) window.sessionStorage.removeItem(keyOf(userId, name));
    else window.sessionStorage.setItem(keyOf(userId, name), text);
  } catch {
    // storage is forbidden or full: the draft lasts as long as the screen
  }
}
