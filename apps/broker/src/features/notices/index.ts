export { createNotices, type Notices } from './create-notices.ts';
export { readNoticeFigures } from './notice-store.ts';
export { noticesContributor } from './account-contributor.ts';
