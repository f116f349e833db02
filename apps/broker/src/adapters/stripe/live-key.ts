/** Whether money moves with a secret key of Stripe; with one of its test mode, or of the sandbox, none does. */
export const isLiveKey = (secretKey: string): boolean => /^[a-z]+_live_/.test(secretKey);
