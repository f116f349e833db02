/**
 * How long the provider may take for one answer while a person waits, in ms. There is no second attempt behind the scenes: the
 * person is told soon, and their retry has the same key.
 */
export const patience = { timeout: 8_000, maxNetworkRetries: 0 };
