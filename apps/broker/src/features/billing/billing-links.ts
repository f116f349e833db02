/** Pages where people see to their credits. */
export type BillingLinks = {
  /** Where credits are bought; undefined where nothing is sold. */
  readonly topUpUrl: string | undefined;
  /** Where the spending cap is set. */
  readonly capUrl: string;
  /** Where prices that rose are approved. @param rise is shown first */
  riseUrl(rise: { serverId: string; tool: string }): string;
};

export function billingLinks(publicUrl: string, isSelling: boolean): BillingLinks {
  return {
    topUpUrl: isSelling ? `${publicUrl}/plans` : undefined,
    capUrl: `${publicUrl}/dashboard?tab=billing`,
    riseUrl: ({ serverId, tool }) => `${publicUrl}/prices?server=${serverId}&tool=${encodeURIComponent(tool)}`,
  };
}
