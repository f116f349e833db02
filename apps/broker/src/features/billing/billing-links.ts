/** Pages where users manage their credits. */
export type BillingLinks = {
  /** Sells credits; undefined where nothing is sold. */
  readonly topUpUrl: string | undefined;
  readonly capUrl: string;
  /** Approves price rises. @param rise is shown first */
  riseUrl(rise: { serverId: string; tool: string }): string;
};

export function billingLinks(publicUrl: string, isSelling: boolean): BillingLinks {
  return {
    topUpUrl: isSelling ? `${publicUrl}/plans` : undefined,
    capUrl: `${publicUrl}/dashboard?tab=billing`,
    riseUrl: ({ serverId, tool }) => `${publicUrl}/prices?server=${serverId}&tool=${encodeURIComponent(tool)}`,
  };
}
