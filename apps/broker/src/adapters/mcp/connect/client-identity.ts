/** The protocol revision of modern upstream connections, and the client name that every upstream connection sends. */
export const modernRevision = '2026-07-28';
export const clientInfo = { name: 'souk', version: '1.0.0' };
