import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { questionKindSchema } from '../manifest/manifest-basics.ts';
import { tierSchema } from '../tiers.ts';

/** Any other value counts as disconnected (spec part 1, section 4). */
export const serverStatusSchema = z.enum(['connected', 'disconnected', 'error']);
export type ServerStatus = z.infer<typeof serverStatusSchema>;

const isoTime = z.iso.datetime();

/** Cheapest plan on sale that includes a server. */
export const includingPlanSchema = z.object({
  planId: z.string(),
  name: z.string(),
  /** Cents per month. */
  amount: z.int(),
  currency: z.string(),
});
export type IncludingPlan = z.infer<typeof includingPlanSchema>;

/** Price of a number of credits. */
const creditPriceSchema = z.object({
  /** Cents. */
  amount: z.int(),
  credits: z.int(),
  currency: z.string(),
});
export type CreditPrice = z.infer<typeof creditPriceSchema>;

/**
 * Spec part 1, section 3: "MCP server (from capabilities)". `billing.trialDays`, `billing.plan` and the fields from
 * `askingTools` on are additions.
 */
export const serverSchema = z.object({
  serverId: z.string(),
  serverName: z.string(),
  status: serverStatusSchema,
  metadata: z.object({
    category: z.string(),
    description: z.string(),
    version: z.string(),
    author: z.string(),
    icon: z.string().optional(),
  }),
  displayName: z.string(),
  displayDescription: z.string(),
  billing: z
    .object({
      tier: tierSchema,
      rental: z
        .object({
          /** Cents per month. */
          price: z.int(),
          currency: z.string(),
          stripePriceId: z.string().optional(),
          name: z.string(),
          description: z.string(),
        })
        .optional(),
      features: z.array(z.string()),
      trialDays: z.int().optional(),
      /** Absent if the server is free, no plan on sale includes it or nothing is sold. */
      plan: includingPlanSchema.optional(),
    })
    .optional(),
  capabilities: z.object({ tools: z.int(), prompts: z.int(), resources: z.int() }),
  /** Number of tools that are listed only to clients that can answer their questions; absent if none. */
  askingTools: z.int().optional(),
  /** Credits per call of its cheapest paid tool; absent if all tools are free. */
  creditsFrom: z.int().optional(),
  /** Displayed worth of credits for paid calls; absent if no credits are sold. */
  creditPrice: creditPriceSchema.optional(),
  /** Reason for the status in plain words; absent for a connected server without problems. */
  statusDetail: z.string().optional(),
  /** Start of the current outage; absent if it responds correctly. */
  downSince: isoTime.optional(),
  /** Requirement that each user must meet before its tools work: a sign-in at the server, or headers. */
  requires: z.enum(['sign_in', 'headers']).optional(),
  connectionType: z.enum(['http', 'websocket', 'stdio']),
  /** Estimated tokens of its tool definitions in a model's context: one per four bytes of their JSON. */
  estimatedTokens: z.int(),
  /** Tools that are hidden until an administrator approves their change. */
  toolsUnderReview: z.int().optional(),
  lastUpdate: isoTime,
});
export type ServerAnswer = z.infer<typeof serverSchema>;

/** Spec part 1, section 3: "Capability". */
export const capabilitySchema = z.object({
  serverId: z.string(),
  type: z.enum(['tool', 'prompt', 'resource']),
  name: z.string(),
  displayName: z.string(),
  description: z.string(),
  displayDescription: z.string(),
  /** Tools: credits per call; 0 is 'Free to use'. */
  creditCost: z.int().optional(),
  /** Tools: announced price of a call and its start. */
  comingCost: z.object({ credits: z.int(), from: isoTime }).optional(),
  /** Tools: kind of question that the tool asks while it runs. Clients that cannot answer do not see the tool. */
  asks: questionKindSchema.optional(),
  /** Resources: the address on the server's own link. */
  uri: z.string().optional(),
  /** Name on /mcp, which lists the tools of all servers; for a resource, its address there. */
  exposedName: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()).optional(),
  annotations: z.record(z.string(), z.unknown()).optional(),
  /** Present if characters that hide or reorder text were removed from its texts. */
  flagged: z.literal(true).optional(),
  /** Last time the server changed this tool's title or description without a new version. */
  textChangedAt: isoTime.optional(),
});
export type CapabilityAnswer = z.infer<typeof capabilitySchema>;

const toolSchema = capabilitySchema.extend({ type: z.literal('tool'), creditCost: z.int() });
const promptSchema = capabilitySchema.extend({ type: z.literal('prompt') });
const resourceSchema = capabilitySchema.extend({ type: z.literal('resource'), uri: z.string() });

export const getInfo = endpoint({
  id: 'getMcpInfo',
  method: 'GET',
  path: '/mcp/info',
  summary: 'Returns the name and version of this installation and the address of its MCP endpoint',
  access: 'public',
  answer: z.object({
    name: z.string(),
    version: z.string(),
    /** Link to paste into an MCP client. */
    link: z.string(),
    protocolVersions: z.array(z.string()),
    transport: z.literal('streamable-http'),
    supportEmail: z.string(),
    serverCount: z.int(),
  }),
});

export const getHealth = endpoint({
  id: 'getMcpHealth',
  method: 'GET',
  path: '/mcp/health',
  summary: "Returns the product's health as a visitor sees it (not a probe: see /healthz and /readyz)",
  access: 'public',
  answer: z.object({
    /** Clients treat any other value as offline. */
    status: z.enum(['healthy', 'initializing']),
    timestamp: isoTime,
    server: z.object({ serverCount: z.int(), totalCapabilities: z.int() }),
    connections: z.object({ connected: z.int() }),
    /** Servers that were checked and did not respond correctly. */
    serversDown: z.int(),
  }),
});

export const getCapabilities = endpoint({
  id: 'getCapabilities',
  method: 'GET',
  path: '/mcp/capabilities',
  summary: 'Lists every deployed server with its tools, prompts and resources, from the stored catalog',
  access: 'public',
  weight: 20,
  answer: z.object({
    servers: z.array(serverSchema),
    capabilities: z.array(capabilitySchema),
    lastUpdate: isoTime,
  }),
});

export const getTools = endpoint({
  id: 'getTools',
  method: 'GET',
  path: '/mcp/tools',
  summary: 'Lists every tool of every deployed server',
  access: 'public',
  weight: 20,
  answer: z.object({ tools: z.array(toolSchema) }),
});

export const getPrompts = endpoint({
  id: 'getPrompts',
  method: 'GET',
  path: '/mcp/prompts',
  summary: 'Lists every prompt of every deployed server',
  access: 'public',
  weight: 20,
  answer: z.object({ prompts: z.array(promptSchema) }),
});

export const getResources = endpoint({
  id: 'getResources',
  method: 'GET',
  path: '/mcp/resources',
  summary: 'Lists every resource of every deployed server',
  access: 'public',
  weight: 20,
  answer: z.object({ resources: z.array(resourceSchema) }),
});

export const refreshServers = endpoint({
  id: 'refreshServers',
  method: 'POST',
  path: '/mcp/refresh',
  summary:
    'Refetches what the servers offer if the caller is signed in, at most once per 10 s and server; otherwise returns the stored state',
  access: 'refresh',
  answer: z.object({
    success: z.literal(true),
    message: z.string(),
    /** Servers being refetched; empty if only the stored state was returned. */
    refreshed: z.array(z.string()),
  }),
  errors: ['unauthenticated'],
});

export const catalogueEndpoints = [
  getInfo,
  getHealth,
  getCapabilities,
  getTools,
  getPrompts,
  getResources,
  refreshServers,
] as const;
