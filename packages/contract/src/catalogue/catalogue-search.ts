import { z } from 'zod';
import { capabilitySchema, serverSchema, serverStatusSchema } from './catalogue.ts';
import { endpoint } from '../endpoint.ts';
import { categorySchema } from '../manifest/manifest-basics.ts';
import { tierSchema } from '../tiers.ts';

/** Characters of a search text. */
export const maxSearchLength = 200;

/** Words of a search text, separated by blanks, that are looked for; further ones are passed over. */
export const maxSearchWords = 8;

const searchText = z
  .string()
  .max(maxSearchLength, `must be at most ${maxSearchLength} characters`)
  .transform((text) => text.trim());

/** Beside the order by name, which is the specification's and needs no word (part 1, section 5). */
export const sortOrders = [
  'price',
  'tools',
  'updated',
  /** By the people who used its tools in the last 30 days. */
  'popular',
  /** As home shows them: the operator's order (`featured` in manifests), then popularity. */
  'featured',
] as const;

export const findServers = endpoint({
  id: 'findServers',
  method: 'GET',
  path: '/api/catalogue/servers',
  summary:
    'One page of the deployed servers that match a search and filters, by name unless another order is asked for',
  access: 'public',
  weight: 2,
  query: z.object({
    /** Each word must stand in the name, description or id, or in the name or title of a tool; in any case of letters. */
    q: searchText.default(''),
    type: categorySchema.optional(),
    tier: tierSchema.optional(),
    /** A T0 server is free, a rental price on it or not. */
    price: z.enum(['free', 'paid']).optional(),
    status: serverStatusSchema.optional(),
    sort: z.enum(sortOrders).optional(),
    /** From 1. Past the last page the last one is answered. */
    page: z.coerce.number().int().min(1).max(100_000).default(1),
    pageSize: z.coerce.number().int().min(1).max(100).default(24),
  }),
  answer: z.object({
    servers: z.array(serverSchema),
    /** `total` counts the servers that match. */
    pagination: z.object({ page: z.int(), pageSize: z.int(), total: z.int(), pages: z.int() }),
    /** All deployed servers, matching or not. */
    deployed: z.int(),
  }),
  revalidated: true,
  errors: ['invalid_request'],
});

export const getServer = endpoint({
  id: 'getServer',
  method: 'GET',
  path: '/api/catalogue/servers/:serverId',
  summary: 'One deployed server with its tools, prompts and resources',
  access: 'public',
  weight: 4,
  params: z.object({ serverId: z.string().max(200) }),
  answer: z.object({
    server: serverSchema,
    capabilities: z.array(capabilitySchema),
    /** Patterns of addresses of resources (RFC 6570), which the link lists apart from the resources. */
    resourceTemplates: z.array(capabilitySchema),
  }),
  revalidated: true,
  errors: ['server_not_found', 'invalid_request'],
});

const { serverId, serverName, displayName, displayDescription } = capabilitySchema
  .pick({ serverId: true, displayName: true, displayDescription: true })
  .extend({ serverName: z.string() }).shape;

/** A server where it has one line. */
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
  summary: 'The categories that have servers, with how many, and the first few of each as home orders them',
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
  summary: 'The few servers and tools that fit a text best, for a list that appears while a person types',
  access: 'public',
  weight: 4,
  query: z.object({ q: searchText.default(''), limit: z.coerce.number().int().min(1).max(20).default(6) }),
  answer: z.object({
    /** Best match first. Without a text the first by name. */
    servers: z.array(briefServerSchema),
    /** Best match first. Without a text none. */
    tools: z.array(
      z.object({
        serverId,
        serverName,
        name: z.string(),
        displayName,
        displayDescription,
        /** Credits a call; 0 is 'Free to use'. */
        creditCost: z.int(),
      }),
    ),
  }),
  revalidated: true,
  errors: ['invalid_request'],
});

export const catalogueSearchEndpoints = [findServers, getServer, getCategories, suggestMatches] as const;
