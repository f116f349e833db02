import { McpServer } from '@modelcontextprotocol/server';
import type { ServiceCaller } from './request-gate.ts';
import type { ServiceTool } from './tools.ts';

/**
 * Creates server objects, one for each request, session or connection, so that responses cannot reach another caller. The
 * tools are shared.
 */
export function serverFactory(service: {
  name: string;
  instructions: string;
  tools: readonly ServiceTool[];
  addPromptsAndResources(server: McpServer, caller: ServiceCaller): void;
}): (caller: ServiceCaller) => McpServer {
  const { name, instructions, tools } = service;
  return (caller) => {
    const server = new McpServer({ name, version: '1.0.0' }, { instructions });
    for (const tool of tools) tool.addTo(server, caller);
    service.addPromptsAndResources(server, caller);
    return server;
  };
}
