import { z } from 'zod';
import { endpoint } from '../endpoint.ts';
import { questionKindSchema } from '../manifest/manifest-basics.ts';
import { tierSchema } from '../tiers.ts';

/** Any other value counts as disconnected (spec part 1, section 4). */
export const serverStatusSchema = z.enum(['connected', 'disconnected', 'error']);
export type ServerStatus = z.infer<typeof serverStatusSchema>;

const isoTime = z.iso.datetime();

/** The cheapest plan on sale that includes a server: its name and price as people buy it. */
export const includingPlanSchema = z.object({
  planId: z.string(),
  name: z.string(),
  /** Cents a month. */
  amount: z.int(),
  currency: z.string(),
});
export type IncludingPlan = z.infer<typeof includingPlanSchema>;

/** What so many credits cost. */
const creditPriceSchema = z.object({
  /** Cents. */
  amount: z.int(),
  credits: z.int(),
  currency: z.string(),
});
export type CreditPrice = z.infer<typeof creditPriceSchema>;

/** Spec part 1, section 3: "MCP server (from capabilities)". Fields below the line are additions. */
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
          /** Cents a month. */
          price: z.int(),
          currency: z.string(),
          stripePriceId: z.string().optional(),
          name: z.string(),
          description: z.string(),
        })
        .optional(),
      features: z.array(z.string()),
      trialDays: z.int().optional(),
      /** Absent for a free server, where no plan on sale includes it, and where nothing is sold. */
      plan: includingPlanSchema.optional(),
    })
    .optional(),
  capabilities: z.object({ tools: z.int(), prompts: z.int(), resources: z.int() }),
  /** How many of its tools are listed only to clients that can answer what they ask; absent where none is. */
  askingTools: z.int().optional(),
  /** Credits of a call of its cheapest tool that has a price; absent where every tool is free to use. */
  creditsFrom: z.int().optional(),
  /** What credits are told to be worth, beside calls that cost some; absent where none are sold. */
  creditPrice: creditPriceSchema.optional(),
  /** The reason for the status, in plain words; absent for a connected server without a problem. */
  statusDetail: z.string().optional(),
  /** Since when it does not answer as it should; absent while it does. */
  downSince: isoTime.optional(),
  /** What each person needs before tools work: an account at the server, or headers of their own. */
  requires: z.enum(['sign_in', 'headers']).optional(),
  connectionType: z.enum(['http', 'websocket', 'stdio']),
  /** About how many tokens of a model's context the definitions of its tools take: one for four bytes of their JSON. */
  estimatedTokens: z.int(),
  /** Tools that are hidden until an administrator has approved how they changed. */
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
  /** Tools: credits a call; 0 is 'Free to use'. */
  creditCost: z.int().optional(),
  /** Tools: what a call costs from a date on, where that was announced. */
  comingCost: z.object({ credits: z.int(), from: isoTime }).optional(),
  /** Tools: what the tool asks while it runs. Clients that cannot answer it do not see the tool. */
  asks: questionKindSchema.optional(),
  /** Resources: the address on the link of the server itself. */
  uri: z.string().optional(),
  /** The name on /mcp, which lists the tools of all servers; of a resource, its address there. */
  exposedName: z.string().optional(),
  inputSchema: z.record(z.string(), z.unknown()).optional(),
  annotations: z.record(z.string(), z.unknown()).optional(),
  /** Characters that hide or reorder text were removed from its texts. */
  flagged: z.literal(true).optional(),
  /** When the server last changed this tool's title or description without a new version. */
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
  summary: 'What this installation is and where its MCP endpoint is',
  access: 'public',
  answer: z.object({
    name: z.string(),
    version: z.string(),
    /** The link that a person pastes into an MCP client. */
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
  summary: "The product's health as a visitor sees it (not a probe: see /healthz and /readyz)",
  access: 'public',
  answer: z.object({
    /** healthy, initializing; clients treat any other value as offline. */
    status: z.enum(['healthy', 'initializing']),
    timestamp: isoTime,
    server: z.object({ serverCount: z.int(), totalCapabilities: z.int() }),
    connections: z.object({ connected: z.int() }),
    /** Servers that were asked and did not answer as they should. */
    serversDown: z.int(),
  }),
});

export const getCapabilities = endpoint({
  id: 'getCapabilities',
  method: 'GET',
  path: '/mcp/capabilities',
  summary: 'Every deployed server with its tools, prompts and resources, from the stored catalog',
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
  summary: 'Every tool of every deployed server',
  access: 'public',
  weight: 20,
  answer: z.object({ tools: z.array(toolSchema) }),
});

export const getPrompts = endpoint({
  id: 'getPrompts',
  method: 'GET',
  path: '/mcp/prompts',
  summary: 'Every prompt of every deployed server',
  access: 'public',
  weight: 20,
  answer: z.object({ prompts: z.array(promptSchema) }),
});

export const getResources = endpoint({
  id: 'getResources',
  method: 'GET',
  path: '/mcp/resources',
  summary: 'Every resource of every deployed server',
  access: 'public',
  weight: 20,
  answer: z.object({ resources: z.array(resourceSchema) }),
});

export const refreshServers = endpoint({
  id: 'refreshServers',
  method: 'POST',
  path: '/mcp/refresh',
  summary: 'Asks the servers again (signed in, at most once per 10 s a server); others get the stored state',
  access: 'refresh',
  answer: z.object({
    success: z.literal(true),
    message: z.string(),
    /** Servers that are asked; empty when the call only answered the stored state. */
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
