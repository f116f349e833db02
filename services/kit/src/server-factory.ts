import { McpServer } from '@modelcontextprotocol/server';
import type { ServiceCaller } from './request-gate.ts';
import type { ServiceTool } from './tools.ts';

/**
 * Makes a server object for one request, session or connection of a caller. Shared parts (the tools) are made before; the
 * object itself is always new, so that no answer can reach another caller.
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
