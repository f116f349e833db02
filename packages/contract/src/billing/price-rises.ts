import { z } from 'zod';
import { serverIdSchema } from '../manifest/manifest-basics.ts';
import { endpoint } from '../endpoint.ts';

/** Rises that are listed, and approved at once. */
export const maxPriceRises = 500;

const needSession = ['authentication_required', 'unauthenticated'] as const;
const toolName = z.string().min(1).max(256);
const isoTime = z.iso.datetime();

const ofTool = z.object({
  serverId: z.string(),
  serverName: z.string(),
  /** The server's own name of the tool. */
  tool: z.string(),
  toolName: z.string(),
});

/** A price that rose above what the caller has agreed to: calls are refused until they approve it. */
export const priceRiseSchema = ofTool.extend({
  oldCredits: z.int(),
  newCredits: z.int(),
  raisedAt: isoTime,
});
export type PriceRiseAnswer = z.infer<typeof priceRiseSchema>;

/** A higher price that was announced. */
export const comingPriceSchema = ofTool.extend({ credits: z.int(), comingCredits: z.int(), from: isoTime });
export type ComingPriceAnswer = z.infer<typeof comingPriceSchema>;

export const listPriceRises = endpoint({
  id: 'listPriceRises',
  method: 'GET',
  path: '/api/billing/price-rises',
  summary:
    'Prices of tools that the caller uses which rose and wait for their approval, and higher ones that were announced',
  access: 'account',
  /** Another tool that the caller asks about, such as the one of a refused call. */
  query: z.object({ server: serverIdSchema.optional(), tool: toolName.optional() }),
  answer: z.object({
    success: z.literal(true),
    /** The newest first, at most 500. */
    rises: z.array(priceRiseSchema),
    /** The soonest first, at most 500. */
    coming: z.array(comingPriceSchema),
  }),
  errors: ['invalid_request', ...needSession],
});

export const approvePriceRises = endpoint({
  id: 'approvePriceRises',
  method: 'POST',
  path: '/api/billing/price-rises/approvals',
  summary: 'The caller agrees to these prices; nothing is approved where one of them has changed since it was shown',
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
