/** The revision of modern upstream connections, and how we identify ourselves on every upstream connection. */
export const modernRevision = '2026-07-28';
export const clientInfo = { name: 'souk', version: '1.0.0' };
