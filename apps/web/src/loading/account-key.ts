/**
 * First part of the key of every query that answers one person's own data. The id keeps two people of one browser
 * apart, and the session removes the keys of the person who signs out.
 */
export const accountKey = (userId: string) => ['account', userId] as const;
