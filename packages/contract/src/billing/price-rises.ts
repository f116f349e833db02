import { z } from 'zod';
import { serverIdSchema } from '../manifest/manifest-basics.ts';
import { endpoint } from '../endpoint.ts';

/** Price rises per list, and per approval. */
export const maxPriceRises = 500;

const needSession = ['authentication_required', 'unauthenticated'] as const;
const toolName = z.string().min(1).max(256);
const isoTime = z.iso.datetime();

const ofTool = z.object({
  serverId: z.string(),
  serverName: z.string(),
  /** Tool name as the server defines it. */
  tool: z.string(),
  toolName: z.string(),
});

/** A price that rose above what the caller agreed to. Calls are refused until they approve it. */
export const priceRiseSchema = ofTool.extend({
  oldCredits: z.int(),
  newCredits: z.int(),
  raisedAt: isoTime,
});
export type PriceRiseAnswer = z.infer<typeof priceRiseSchema>;

/** An announced higher price. */
export const comingPriceSchema = ofTool.extend({ credits: z.int(), comingCredits: z.int(), from: isoTime });
export type ComingPriceAnswer = z.infer<typeof comingPriceSchema>;

export const listPriceRises = endpoint({
  id: 'listPriceRises',
  method: 'GET',
  path: '/api/billing/price-rises',
  summary: 'Lists tools used by the caller whose price rose and awaits their approval, and announced higher prices',
  access: 'account',
  /** Additional tool to check, such as the one of a refused call. */
  query: z.object({ server: serverIdSchema.optional(), tool: toolName.optional() }),
  answer: z.object({
    success: z.literal(true),
    /** Newest first, at most 500. */
    rises: z.array(priceRiseSchema),
    /** Soonest first, at most 500. */
    coming: z.array(comingPriceSchema),
  }),
  errors: ['invalid_request', ...needSession],
});

export const approvePriceRises = endpoint({
  id: 'approvePriceRises',
  method: 'POST',
  path: '/api/billing/price-rises/approvals',
  summary: 'Approves the given prices; if one has changed since it was shown, none is approved',
  access: 'account',
  body: z.object({
    prices: z
      .array(z.object({ serverId: serverIdSchema, tool: toolName, credits: z.int().min(1).max(1_000_000) }))
      .min(1)
      .max(maxPriceRises),
  }),
  answer: z.object({ success: z.literal(true) }),
  errors: ['invalid_request', 'tool_price_changed', ...needSession],
});

export const priceRiseEndpoints = [listPriceRises, approvePriceRises] as const;
