/**
 * What an administrator has typed and not sent: it stays in this tab when the screen is left, when a call fails and when the
 * sign-in lapses. Another account of the same tab never sees it.
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

/** @param text undefined: forgets it */
export function writeDraft(userId: string, name: string, text: string | undefined): void {
  try {
    if (text === undefined) window.sessionStorage.removeItem(keyOf(userId, name));
    else window.sessionStorage.setItem(keyOf(userId, name), text);
  } catch {
    // storage is forbidden or full: the draft lasts as long as the screen
  }
}
