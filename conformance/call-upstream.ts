// A scenario without a sign-in: our upstream side, as the gateway uses it. MCP_CONFORMANCE_SCENARIO says what is wanted,
// MCP_CONFORMANCE_CONTEXT with what.
import type { Tool } from '@modelcontextprotocol/client';
import { openUpstream } from '../apps/broker/src/adapters/mcp/open-upstream.ts';
import type { Ask, CallOptions, Upstream } from '../apps/broker/src/adapters/mcp/types.ts';
import { UpstreamError } from '../apps/broker/src/adapters/mcp/upstream-error.ts';
import { createLog } from '../apps/broker/src/platform/log.ts';

type Call = { name: string; arguments?: Record<string, unknown> };

const url = process.argv.at(-1) ?? '';
const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const era = process.env['MCP_CONFORMANCE_PROTOCOL_VERSION'] === '2026-07-28' ? 'modern' : 'legacy';
const clientCapabilities = { elicitation: { form: {} } };

const upstream = await openUpstream(
  { type: 'http', url, headers: {}, allowAddresses: [new URL(url).host] },
  {
    era,
    connectTimeoutMs: 10_000,
    listTimeoutMs: 10_000,
    maxResultBytes: 1024 * 1024,
    log: createLog('silent'),
    clientCapabilities,
    ofOnePerson: true,
  },
);
try {
  await act(upstream);
} finally {
  await upstream.close();
}

/** Lists, then calls what the scenario names, or every tool that is listed. */
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
  // asks for the schema of its other tool, as it came through
  if (echo && focal) return [{ name: echo.name, arguments: { schema: focal.inputSchema } }];
  return tools.map((tool) => ({ name: tool.name, arguments: argumentsFor(tool) }));
}

function argumentsFor({ inputSchema }: Tool): Record<string, unknown> {
  const properties = Object.entries(inputSchema.properties ?? {});
  return Object.fromEntries(
    properties.map(([name, schema]) => [
      name,
      typeof schema === 'object' && schema !== null && 'type' in schema && schema.type === 'number' ? 2 : 'two',
    ]),
  );
}

/** What a server does wrong in one call is told to whoever made it; the connection goes on. */
function asGatewayWould(error: unknown): void {
  if (!(error instanceof UpstreamError)) throw error;
}

/** A modern server that asks is called again with the answers, as the gateway does for its client. */
async function callThrough(server: Upstream, call: Call, toolDefinition: Tool | undefined): Promise<void> {
  const known = { ...options(), ...(toolDefinition && { toolDefinition }) };
  const answer = await server.callTool(call, known);
  if (!('inputRequests' in answer) || !answer.inputRequests) return;
  const { inputRequests, requestState } = answer;
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
    timeoutMs: 20_000,
    totalTimeoutMs: 25_000,
    clientCapabilities,
    onAsk: async (ask) => ({ action: 'accept', content: defaultsOf(ask) }),
  };
}

/** A person who accepts a form as it stands. */
function defaultsOf({ params }: Ask): Record<string, unknown> {
  const schema = Object(params['requestedSchema']);
  return Object.fromEntries(
    Object.entries(Object(schema['properties'])).flatMap(([name, field]) =>
      typeof field === 'object' && field !== null && 'default' in field ? [[name, field.default]] : [],
    ),
  );
}
