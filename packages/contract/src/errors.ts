import { clientErrors } from './error-body.ts';

export { errorBodySchema, type ErrorBody } from './error-body.ts';

/**
 * Every error of the broker: code, HTTP status and the exact public text.
 * Texts come from section 8 of both parts of the specification; others are ours.
 * With `null` the thrower supplies the text (it names a field or a value).
 */
export const errorCatalogue = {
  ...clientErrors,
  user_not_authenticated: { status: 401, message: 'User not authenticated' },
  admin_required: { status: 403, message: 'Access denied. Admin privileges required.' },
  sign_in_again: { status: 403, message: 'Sign in again to do this: your last sign-in was more than 15 minutes ago.' },
  operator_decides: { status: 403, message: null },
  foreign_origin: { status: 403, message: 'This origin may not call the broker.' },
  foreign_host: { status: 403, message: 'This host name is not the address of this installation.' },
  not_found: { status: 404, message: 'Not found' },
  server_not_found: { status: 404, message: null },
  invalid_request: { status: 400, message: null },
  invalid_json: { status: 400, message: 'The request body is not valid JSON.' },
  too_deep: { status: 400, message: 'The request body is nested more than 64 levels deep.' },
  unsupported_media_type: { status: 415, message: 'The request body must be JSON.' },
  payload_too_large: { status: 413, message: 'The request body is too large.' },
  rate_limited: { status: 429, message: 'Too many requests. Please wait a moment and try again.' },
  too_many_runs: { status: 429, message: null },
  too_many_downloads: {
    status: 429,
    message: 'You are already downloading two files. Wait until one is complete, then try again.',
  },
  not_implemented: { status: 501, message: null },
  manifest_invalid: { status: 400, message: null },
  url_not_allowed: { status: 400, message: null },
  command_not_allowed: { status: 400, message: null },
  manifest_conflict: { status: 409, message: null },
  import_unreadable: { status: 400, message: null },
  registry_known: { status: 409, message: null },
  registry_unavailable: { status: 502, message: null },
  too_many_tests: {
    status: 429,
    message: 'You are already running a connection test. Wait until it ends, or cancel it.',
  },
  /** Stale write: the stored state has changed since the caller was shown it. */
  changed_since_shown: { status: 409, message: null },
  change_decided: { status: 409, message: 'This change has already been decided.' },
  pat_create_failed: { status: 400, message: 'Failed to create PAT' },
  pat_create_unavailable: { status: 503, message: 'Failed to create PAT' },
  pat_too_many: {
    status: 409,
    message: 'You have 50 access tokens. Revoke one that you no longer use, and try again.',
  },
  pat_list_failed: { status: 500, message: 'Failed to fetch PATs' },
  pat_revoke_failed: { status: 404, message: 'Failed to revoke PAT' },
  pat_revoke_unavailable: { status: 503, message: 'Failed to revoke PAT' },
  pat_stats_failed: { status: 500, message: 'Failed to fetch PAT stats' },
  sign_in_unavailable: { status: 502, message: null },
  sign_in_expired: { status: 400, message: 'This sign-in has expired or was already used. Please start again.' },
  sign_in_refused: { status: 400, message: null },
  sign_in_failed: { status: 502, message: null },
  has_access: { status: 409, message: null },
  trial_used: { status: 409, message: null },
  unsupported_purchase: { status: 400, message: 'Unsupported purchase type' },
  free_plan: { status: 400, message: 'Free plan does not require payment' },
  confirm_administrator: {
    status: 409,
    message: 'This user is an administrator. Confirm that you want to deactivate an administrator.',
  },
  own_account: { status: 400, message: 'You cannot do this to your own account.' },
  credits_held: { status: 409, message: null },
  plan_not_found: { status: 404, message: null },
  price_changed: { status: 409, message: 'The price has changed. Please look at the new price before you pay.' },
  /** The user rents a service that the plan includes, and the page did not say so. */
  overlap_changed: { status: 409, message: null },
  service_down: {
    status: 409,
    message: 'Calls to the service are failing right now. Please decide again before you pay.',
  },
  tool_price_changed: {
    status: 409,
    message: 'A price has changed again. Nothing was approved. Please review the new price.',
  },
  not_active: { status: 409, message: null },
  /** Another change to the user's payments is running: their own from another tab, or an administrator's. */
  change_under_way: {
    status: 409,
    message: 'Another change is under way. Nothing was changed. Wait a moment, reload the page, and try again.',
  },
  not_yours_to_end: { status: 409, message: null },
  payment_failed: { status: 402, message: null },
  /** The provider would refuse a retry as well; the text says what to do. */
  payment_refused: { status: 409, message: null },
  payment_under_way: {
    status: 409,
    message:
      'Your payment for this is on its way. You get what you paid for when it arrives, which takes a few days with some banks.',
  },
  refund_impossible: { status: 409, message: 'This payment cannot be refunded from here.' },
  refund_too_high: { status: 409, message: null },
  payments_off: { status: 404, message: 'Nothing is sold here.' },
  payments_unavailable: {
    status: 503,
    message: 'Payments are not available right now. Nothing was charged. Please try again in a moment.',
  },
  account_not_confirmed: { status: 400, message: 'Type the e-mail address of your account to confirm.' },
  unavailable: { status: 503, message: 'The service is not available right now. Please try again in a moment.' },
  unexpected: { status: 500, message: 'An unexpected error occurred' },
} as const satisfies Record<string, { status: number; message: string | null }>;

export type ErrorCode = keyof typeof errorCatalogue;
