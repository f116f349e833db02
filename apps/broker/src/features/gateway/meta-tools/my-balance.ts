import type { CallToolResult } from '@modelcontextprotocol/server';
import { structuredResult } from '../call/own-results.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import type { RequestContext } from '../view/request-context.ts';

/** Tells a user's model what its calls may spend: credits, when they expire, the month's cap, and where to get more. */
export async function myBalance(
  { caller }: RequestContext,
  { credits }: Pick<GatewayParts, 'credits'>,
): Promise<CallToolResult> {
  const { account, topUpUrl, capUrl } = await credits(caller.userId);
  const { balance, available, held, debt, parts, monthlyCap, spentThisMonth, monthEndsAt } = account;
  return structuredResult({
    balance,
    available,
    held,
    ...(debt > 0 && { debt }),
    parts: parts.map((part) => ({ ...part, expiresAt: part.expiresAt?.toISOString() ?? null })),
    month: { cap: monthlyCap ?? null, spent: spentThisMonth, endsAt: monthEndsAt.toISOString(), changeCapAt: capUrl },
    ...(topUpUrl !== undefined && { topUpAt: topUpUrl }),
  });
}
