/** The first revision of the protocol without sessions. */
export const modernRevision = '2026-07-28';

/** Whether a version of the protocol, as in the header Mcp-Protocol-Version, has no sessions. */
export function isModernVersion(version: string | string[] | undefined): boolean {
  return typeof version === 'string' && version >= modernRevision && /^\d{4}-\d{2}-\d{2}$/.test(version);
}
