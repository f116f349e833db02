import { version } from '../../../version.ts';

/** The revision of modern upstream connections. */
export const modernRevision = '2026-07-28';
/** How we identify ourselves on every upstream connection. */
export const clientInfo = { name: 'souk', version };
