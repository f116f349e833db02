/** Returns an amount in cents: "12.5" and "12,50" are 1250. undefined if the text is not an amount. */
export function centsOf(typed: string): number | undefined {
  const match = /^(\d+)(?:[.,](\d{1,2}))?$/.exec(typed);
  return match ? Number(match[1]) * 100 + Number((match[2] ?? '').padEnd(2, '0')) : undefined;
}
