import { readDraft, writeDraft } from '../../draft-store.ts';

export type UnsavedText = {
  text: string;
  /** Revision of the manifest that the text started from. */
  revision: string;
};

const nameOf = (serverId: string) => `server.${serverId}`;
/** Longest text to keep: twice a manifest's limit, since sessionStorage holds only a few megabytes. */
const maxKeptLength = 512 * 1024;

export const hasUnsavedText = (userId: string, serverId: string) => readUnsavedText(userId, serverId) !== undefined;

/** Returns the unsaved text of a server's manifest from this tab. */
export function readUnsavedText(userId: string, serverId: string): UnsavedText | undefined {
  const kept = readDraft(userId, nameOf(serverId));
  const end = kept?.indexOf('\n') ?? -1;
  return kept === undefined || end === -1 ? undefined : { revision: kept.slice(0, end), text: kept.slice(end + 1) };
}

/** @param unsaved undefined deletes it */
export function keepUnsavedText(userId: string, serverId: string, unsaved: UnsavedText | undefined): void {
  const isKept = unsaved !== undefined && unsaved.text.length <= maxKeptLength;
  writeDraft(userId, nameOf(serverId), isKept ? `${unsaved.revision}\n${unsaved.text}` : undefined);
}
