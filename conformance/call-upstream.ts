// Runs a scenario without a sign-in against our upstream side, as the gateway uses it. MCP_CONFORMANCE_SCENARIO names
// the scenario, MCP_CONFORMANCE_CONTEXT contains its data.
import { asRecord } from '../apps/broker/src/platform/json.ts';
import type { Tool } from '@modelcontextprotocol/client';
import { openUpstream } from '../apps/broker/src/adapters/mcp/connect/open-upstream.ts';
import { NoticeLimits } from '../apps/broker/src/adapters/mcp/notices/notice-limits.ts';
import type { Ask, CallOptions, Upstream } from '../apps/broker/src/adapters/mcp/upstream.ts';
import { UpstreamError } from '../apps/broker/src/adapters/mcp/upstream-error.ts';
import { createLog } from '../apps/broker/src/platform/log.ts';

type Call = { name: string; arguments?: Record<string, unknown> };

const url = process.argv.at(-1) ?? '';
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const era = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] === '2026-07-28' ? 'modern' : 'legacy';
/** Time after which a hanging suite is ended. It is long because the suite starts all clients concurrently. */
const deadlineMs = 600_000;
const clientCapabilities = { elicitation: { form: {} } };

const upstream = await openUpstream(
  { type: 'http', url, headers: {}, allowAddresses: [new URL(url).host] },
  {
    era,
    connectTimeoutMs: deadlineMs,
    listTimeoutMs: deadlineMs,
    maxResultBytes: 1024 * 1024,
    log: createLog('silent'),
    notices: new NoticeLimits().ofServer('conformance'),
    clientCapabilities,
    ofOnePerson: true,
  },
);
try {
  await act(upstream);
} finally {
  await upstream.close();
}

/** Lists the tools, then calls the ones that the scenario names, or all. */
async function act(server: Upstream): Promise<void> {
  const tools = await server.listTools();
  for (const call of callsOf(tools)) {
    await callThrough(
      server,
      call,
      tools.find(({ name }) => name === call.name),
    ).catch(asGatewayWould);
  }
  if (scenario !== 'http-standard-headers') return;
  const [resource] = await server.listResources();
  if (resource) await server.readResource({ uri: resource.uri }, options());
  const [prompt] = await server.listPrompts();
  if (prompt) await server.getPrompt({ name: prompt.name }, options());
}

function callsOf(tools: readonly Tool[]): Call[] {
  const context: { toolCalls?: Call[] } = JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}');
  if (context.toolCalls) return context.toolCalls;
  const [echo, focal] = ['json_schema_echo', 'json_schema_2020_12_tool'].map((name) =>
    tools.find((tool) => tool.name === name),
  );
  // this scenario expects the schema of its other tool back, as we received it
  if (echo && focal) return [{ name: echo.name, arguments: { schema: focal.inputSchema } }];
  return tools.map((tool) => ({ name: tool.name, arguments: argumentsFor(tool) }));
}

function argumentsFor({ inputSchema }: Tool): Record<string, unknown> {
  const properties = Object.entries(inputSchema.properties ?? {});
  return Object.fromEntries(
    properties.map(([name, schema]) => [name, asRecord(schema)?.['type'] === 'number' ? 2 : 'two']),
  );
}

/** Ignores an upstream's error, as the gateway does: it fails one call, and the connection stays open. */
function asGatewayWould(error: unknown): void {
  if (!(error instanceof UpstreamError)) throw error;
  console.error(error);
}

/** Repeats a call with the answers if a modern server asks for input, as the gateway does for its client. */
async function callThrough(server: Upstream, call: Call, toolDefinition: Tool | undefined): Promise<void> {
  const known = { ...options(), ...(toolDefinition && { toolDefinition }) };
  const answer = await server.callTool(call, known);
  if (answer.kind !== 'input_required') return;
  const { inputRequests, requestState } = answer.questions;
  if (!inputRequests) return;
  await server.callTool(
    {
      ...call,
      inputResponses: Object.fromEntries(
        Object.keys(Object(inputRequests)).map((key) => [
          key,
          { action: 'accept' as const, content: { confirmed: true } },
        ]),
      ),
      ...(typeof requestState === 'string' && { requestState }),
    },
    known,
  );
}

function options(): CallOptions {
  return {
    signal: new AbortController().signal,
    timeoutMs: deadlineMs,
    totalTimeoutMs: deadlineMs,
    clientCapabilities,
    onAsk: async (ask) => ({ action: 'accept', content: defaultsOf(ask) }),
  };
}

/** Returns the default values of a form, as if a user accepted it unchanged. */
function defaultsOf({ params }: Ask): Record<string, unknown> {
  const schema = Object(params['requestedSchema']);
  return Object.fromEntries(
    Object.entries(Object(schema['properties'])).flatMap(([name, field]) => {
      const known = asRecord(field);
      return known && 'default' in known ? [[name, known['default']]] : [];
    }),
  );
}
