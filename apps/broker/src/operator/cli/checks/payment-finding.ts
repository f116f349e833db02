import type { ConnectionCheck } from '@souk/contract/diagnostics.ts';

/** What a check of the payment provider's account found, and what to do about it. */
export type Finding = Pick<ConnectionCheck, 'status' | 'detail'> & { advice?: string };
