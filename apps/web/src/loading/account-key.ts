/**
 * First part of the key of every query about one user's own data. The id separates the users of one browser, and the
 * session removes these keys when the user signs out.
 */
export const accountKey = (userId: string) => ['account', userId] as const;
