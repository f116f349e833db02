import type { Identity } from '#features/identity/index.ts';
import type { RateLimit } from '#platform/rate-limit.ts';
import type { FastPath } from '../fast-path/serve-fast.ts';
import type { GatewayEvents } from '../gateway-events.ts';
import type { GatewayParts } from '../gateway-parts.ts';
import type { McpEndpoint } from '../protocol/mcp-endpoint.ts';
import type { InFlight } from './in-flight.ts';

/** The parts that both entrances use: the one in front of fastify, and fastify's routes. */
export type Door = {
  brandName: string;
  identity: Pick<Identity, 'authenticateMcp' | 'rememberedMcpCaller' | 'guessWait'>;
  endpoint: McpEndpoint;
  fastPath: FastPath;
  parts: GatewayParts;
  /** The rate, per token, of requests other than tool calls. */
  requestRate: RateLimit;
  answers: InFlight;
  events: GatewayEvents | undefined;
};
