export type { Charges, Hold, PricedCall, Refusal } from './charges.ts';
export { createBilling, type Billing, type UsageRows } from './create-billing.ts';
export { freeForAll, type EntitlementPolicy, type IsEntitled } from './entitlement.ts';
export type { UsageRow } from './usage-row.ts';
