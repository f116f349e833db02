/** The revision of the protocol whose requests stand alone, without a session. */
export const modernRevision = '2026-07-28';
