import { readDraft, writeDraft } from '../../draft-store.ts';

export type UnsavedText = {
  text: string;
  /** Revision of the manifest that the text started from. */
  revision: string;
};

const nameOf = (serverId: string) => `server.${serverId}`;
/** Length limit of stored text: twice a manifest's limit, since sessionStorage has room for only a few megabytes. */
const maxStoredLength = 512 * 1024;

export const hasUnsavedText = (userId: string, serverId: string) => readUnsavedText(userId, serverId) !== undefined;

/** Returns the unsaved text of a server's manifest from this tab. */
export function readUnsavedText(userId: string, serverId: string): UnsavedText | undefined {
  const stored = readDraft(userId, nameOf(serverId));
  const end = stored?.indexOf('\n') ?? -1;
  return stored === undefined || end === -1
    ? undefined
    : { revision: stored.slice(0, end), text: stored.slice(end + 1) };
}

/** @param unsaved undefined deletes it */
export function storeUnsavedText(userId: string, serverId: string, unsaved: UnsavedText | undefined): void {
  const fits = unsaved !== undefined && unsaved.text.length <= maxStoredLength;
  writeDraft(userId, nameOf(serverId), fits ? `${unsaved.revision}\n${unsaved.text}` : undefined);
}
