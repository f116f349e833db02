import { version } from '../../../version.ts';

export const modernRevision = '2026-07-28';
export const clientInfo = { name: 'souk', version };
