/** Pages where users manage their credits. */
export type BillingLinks = {
  /** Page that sells credits; undefined where nothing is sold. */
  readonly topUpUrl: string | undefined;
  readonly capUrl: string;
  /** Page where users approve price rises. @param rise is listed first */
  riseUrl(rise: { serverId: string; tool: string }): string;
};

export function billingLinks(publicUrl: string, isSelling: boolean): BillingLinks {
  return {
    topUpUrl: isSelling ? `${publicUrl}/plans` : undefined,
    capUrl: `${publicUrl}/dashboard?tab=billing`,
    riseUrl: ({ serverId, tool }) => `${publicUrl}/prices?server=${serverId}&tool=${encodeURIComponent(tool)}`,
  };
}
