import { readDraft, writeDraft } from '../../draft-store.ts';

export type UnsavedText = {
  text: string;
  /** The revision of the manifest that the text began from. */
  revision: string;
};

const nameOf = (serverId: string) => `server.${serverId}`;
/** Twice what a manifest may have: a longer text is not kept, since the browser keeps a few megabytes for all. */
const maxKeptLength = 512 * 1024;

export const hasUnsavedText = (userId: string, serverId: string) => readUnsavedText(userId, serverId) !== undefined;

/** What was written of a server's manifest in this tab, and not saved. */
export function readUnsavedText(userId: string, serverId: string): UnsavedText | undefined {
  const kept = readDraft(userId, nameOf(serverId));
  const end = kept?.indexOf('\n') ?? -1;
  return kept === undefined || end === -1 ? undefined : { revision: kept.slice(0, end), text: kept.slice(end + 1) };
}

/** @param unsaved undefined: it was saved or given up */
export function keepUnsavedText(userId: string, serverId: string, unsaved: UnsavedText | undefined): void {
  const isKept = unsaved !== undefined && unsaved.text.length <= maxKeptLength;
  writeDraft(userId, nameOf(serverId), isKept ? `${unsaved.revision}\n${unsaved.text}` : undefined);
}
