import { z } from 'zod';
import { capabilitySchema, serverSchema, serverStatusSchema } from './catalogue.ts';
import { endpoint } from '../endpoint.ts';
import { categorySchema } from '../manifest/manifest-basics.ts';
import { tierSchema } from '../tiers.ts';

/** Characters of a search text. */
export const maxSearchLength = 200;

/** Blank-separated words of a search text that are searched for; further words are ignored. */
export const maxSearchWords = 8;

const searchText = z
  .string()
  .max(maxSearchLength, `must be at most ${maxSearchLength} characters`)
  .transform((text) => text.trim());

/** Sort orders besides the default by name (part 1, section 5). */
export const sortOrders = [
  'price',
  'tools',
  'updated',
  /** Number of users in the last 30 days. */
  'popular',
  /** Order on the home page: the operator's order (`featured` in manifests), then popularity. */
  'featured',
] as const;

export const findServers = endpoint({
  id: 'findServers',
  method: 'GET',
  path: '/api/catalogue/servers',
  summary: 'Lists one page of the deployed servers that match a search and filters, by default sorted by name',
  access: 'public',
  weight: 2,
  query: z.object({
    /** Each word must occur in the server's name, description or id, or in a tool's name or title; case-insensitive. */
    q: searchText.default(''),
    type: categorySchema.optional(),
    tier: tierSchema.optional(),
    /** A T0 server counts as free, even with a rental price. */
    price: z.enum(['free', 'paid']).optional(),
    status: serverStatusSchema.optional(),
    sort: z.enum(sortOrders).optional(),
    /** From 1. A number past the end returns the last page. */
    page: z.coerce.number().int().min(1).max(100_000).default(1),
    pageSize: z.coerce.number().int().min(1).max(100).default(24),
  }),
  answer: z.object({
    servers: z.array(serverSchema),
    /** `total` counts the matching servers. */
    pagination: z.object({ page: z.int(), pageSize: z.int(), total: z.int(), pages: z.int() }),
    /** Number of all deployed servers, matching or not. */
    deployed: z.int(),
  }),
  revalidated: true,
  errors: ['invalid_request'],
});

export const getServer = endpoint({
  id: 'getServer',
  method: 'GET',
  path: '/api/catalogue/servers/:serverId',
  summary: 'Returns a deployed server with its tools, prompts and resources',
  access: 'public',
  weight: 4,
  params: z.object({ serverId: z.string().max(200) }),
  answer: z.object({
    server: serverSchema,
    capabilities: z.array(capabilitySchema),
    /** URI templates of resources (RFC 6570), which the link lists separately from resources. */
    resourceTemplates: z.array(capabilitySchema),
  }),
  revalidated: true,
  errors: ['server_not_found', 'invalid_request'],
});

const { serverId, serverName, displayName, displayDescription } = capabilitySchema
  .pick({ serverId: true, displayName: true, displayDescription: true })
  .extend({ serverName: z.string() }).shape;

/** A server in a compact list. */
export const briefServerSchema = z.object({
  serverId,
  displayName,
  displayDescription,
  icon: z.string().optional(),
  status: serverStatusSchema,
});

export const getCategories = endpoint({
  id: 'getCategories',
  method: 'GET',
  path: '/api/catalogue/categories',
  summary: 'Lists the categories that have servers, with their number of servers and the first few in home page order',
  access: 'public',
  answer: z.object({
    categories: z.array(z.object({ category: categorySchema, total: z.int(), servers: z.array(briefServerSchema) })),
  }),
  revalidated: true,
});

export const suggestMatches = endpoint({
  id: 'suggestMatches',
  method: 'GET',
  path: '/api/catalogue/suggestions',
  summary: 'Returns the best matching servers and tools, for suggestions while the user types',
  access: 'public',
  weight: 4,
  query: z.object({ q: searchText.default(''), limit: z.coerce.number().int().min(1).max(20).default(6) }),
  answer: z.object({
    /** Best match first. Without a text, the first by name. */
    servers: z.array(briefServerSchema),
    /** Best match first. Empty without a text. */
    tools: z.array(
      z.object({
        serverId,
        serverName,
        name: z.string(),
        displayName,
        displayDescription,
        /** Credits per call; 0 is 'Free to use'. */
        creditCost: z.int(),
      }),
    ),
  }),
  revalidated: true,
  errors: ['invalid_request'],
});

export const catalogueSearchEndpoints = [findServers, getServer, getCategories, suggestMatches] as const;
