/** Whether a secret key of Stripe moves money. Keys of its test mode and of the sandbox do not. */
export const isLiveKey = (secretKey: string): boolean => /^[a-z]+_live_/.test(secretKey);
