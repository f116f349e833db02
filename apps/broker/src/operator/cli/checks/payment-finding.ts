import type { ConnectionCheck } from '@souk/contract/diagnostics.ts';

/** Result of a check of the payment provider's account, with advice. */
export type Finding = Pick<ConnectionCheck, 'status' | 'detail'> & { advice?: string };
