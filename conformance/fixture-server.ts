import { inputRequired, ProtocolError, ResourceNotFoundError, Server, type Tool } from '@modelcontextprotocol/server';
import { askingTools, reportingTools } from './fixture-asking.ts';
import { contentTools, jsonSchemaTool, onePixelPng, text } from './fixture-content.ts';
import { inputTools, namePrompt } from './fixture-input.ts';

/** State that all sessions share: calls extend the lists, and subscribers are notified. */
export type FixtureState = {
  extraTools: Tool[];
  extraPrompts: { name: string; description: string }[];
  announce(): void;
};

const noArguments = { type: 'object' as const };
const oneString = (name: string) => ({
  type: 'object' as const,
  properties: { [name]: { type: 'string' } },
  required: [name],
});

const listed: Tool[] = [
  ...[...Object.keys(contentTools), ...Object.keys(reportingTools), ...Object.keys(inputTools)].map((name) => ({
    name,
    description: `Answers as the conformance suite expects of ${name}.`,
    inputSchema: noArguments,
  })),
  ...Object.keys(askingTools).map((name) => ({
    name,
    description: `Asks the client, as the conformance suite expects of ${name}.`,
    inputSchema: name === 'test_sampling' ? oneString('prompt') : noArguments,
  })),
  { name: 'test_trigger_tool_change', description: 'Adds a tool.', inputSchema: noArguments },
  { name: 'test_trigger_prompt_change', description: 'Adds a prompt.', inputSchema: noArguments },
  {
    name: 'test_custom_header',
    description: 'Takes an argument that is also sent as a header (SEP-2243).',
    inputSchema: { type: 'object', properties: { region: { type: 'string', 'x-mcp-header': 'Region' } } },
  },
  jsonSchemaTool,
];

const userSays = (value: string) => ({ role: 'user' as const, content: { type: 'text' as const, text: value } });

/** Creates an upstream with the fixed names that the official conformance suite calls, for one session or one request. */
export function createConformanceServer(state: FixtureState): Server {
  const server = new Server(
    { name: 'conformance-fixture', version: '1.0.0' },
    {
      capabilities: {
        tools: { listChanged: true },
        prompts: { listChanged: true },
        resources: { subscribe: true, listChanged: true },
        completions: {},
        logging: {},
      },
    },
  );
  server.setRequestHandler('tools/list', async () => ({ tools: [...listed, ...state.extraTools] }));
  server.setRequestHandler('tools/call', async ({ params: { name, arguments: given = {} } }, context) => {
    if (name === 'test_trigger_tool_change') {
      state.extraTools.push({ name: `test_added_${state.extraTools.length}`, inputSchema: noArguments });
      state.announce();
      return text('A tool was added.');
    }
    if (name === 'test_trigger_prompt_change') {
      state.extraPrompts.push({
        name: `test_added_${state.extraPrompts.length}`,
        description: 'A prompt that was added.',
      });
      state.announce();
      return text('A prompt was added.');
    }
    const content = contentTools[name];
    if (content) return content;
    const asking = askingTools[name] ?? reportingTools[name];
    if (asking) return asking(context, given);
    const input = inputTools[name];
    if (input) return input(context);
    if (listed.some((tool) => tool.name === name)) return text(JSON.stringify(given));
    throw new ProtocolError(-32602, `Unknown tool: ${name}`);
  });
  addPrompts(server, state);
  addResources(server);
  server.setRequestHandler('completion/complete', async () => ({ completion: { values: ['paris', 'park', 'party'] } }));
  return server;
}

function addPrompts(server: Server, state: FixtureState): void {
  server.setRequestHandler('prompts/list', async () => ({
    prompts: [
      { name: 'test_simple_prompt', description: 'One message.' },
      {
        name: 'test_prompt_with_arguments',
        description: 'Repeats its arguments.',
        arguments: [
          { name: 'arg1', description: 'First test argument', required: true },
          { name: 'arg2', description: 'Second test argument', required: true },
        ],
      },
      {
        name: 'test_prompt_with_embedded_resource',
        description: 'Embeds a resource.',
        arguments: [{ name: 'resourceUri', description: 'What to embed', required: true }],
      },
      { name: 'test_prompt_with_image', description: 'Shows a picture.' },
      { name: 'test_input_required_result_prompt', description: 'Asks before it answers.' },
      ...state.extraPrompts,
    ],
  }));
  server.setRequestHandler('prompts/get', async ({ params: { name, arguments: given = {} } }, context) => {
    switch (name) {
      case 'test_simple_prompt':
        return { messages: [userSays('This is a simple prompt for testing.')] };
      case 'test_prompt_with_arguments':
        return {
          messages: [userSays(`Prompt with arguments: arg1='${given['arg1']}', arg2='${given['arg2']}'`)],
        };
      case 'test_prompt_with_embedded_resource':
        return {
          messages: [
            {
              role: 'user' as const,
              content: {
                type: 'resource' as const,
                resource: {
                  uri: given['resourceUri'] ?? '',
                  mimeType: 'text/plain',
                  text: 'Embedded resource content for testing.',
                },
              },
            },
            userSays('Please process the embedded resource above.'),
          ],
        };
      case 'test_prompt_with_image':
        return {
          messages: [
            {
              role: 'user' as const,
              content: { type: 'image' as const, data: onePixelPng, mimeType: 'image/png' },
            },
            userSays('Please analyze the image above.'),
          ],
        };
      case 'test_input_required_result_prompt':
        return context.mcpReq.inputResponses && 'user_context' in context.mcpReq.inputResponses
          ? { messages: [userSays('The prompt has its context.')] }
          : inputRequired({ inputRequests: namePrompt });
      default:
        throw new ProtocolError(-32602, `Unknown prompt: ${name}`);
    }
  });
}

function addResources(server: Server): void {
  server.setRequestHandler('resources/list', async () => ({
    resources: [
      { uri: 'test://static-text', name: 'text', mimeType: 'text/plain' },
      { uri: 'test://static-binary', name: 'picture', mimeType: 'image/png' },
      { uri: 'test://watched-resource', name: 'watched', mimeType: 'text/plain' },
    ],
  }));
  server.setRequestHandler('resources/templates/list', async () => ({
    resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'by id', mimeType: 'application/json' }],
  }));
  server.setRequestHandler('resources/read', async ({ params: { uri } }) => {
    const id = /^test:\/\/template\/([^/]+)\/data$/.exec(uri)?.[1];
    if (id !== undefined) {
      const data = { id, templateTest: true, data: `Data for ID: ${id}` };
      return { contents: [{ uri, mimeType: 'application/json', text: JSON.stringify(data) }] };
    }
    switch (uri) {
      case 'test://static-text':
        return {
          contents: [{ uri, mimeType: 'text/plain', text: 'This is the content of the static text resource.' }],
        };
      case 'test://static-binary':
        return { contents: [{ uri, mimeType: 'image/png', blob: onePixelPng }] };
      case 'test://watched-resource':
        return { contents: [{ uri, mimeType: 'text/plain', text: 'Watch this.' }] };
      default:
        throw new ResourceNotFoundError(uri);
    }
  });
  server.setRequestHandler('resources/subscribe', async () => ({}));
  server.setRequestHandler('resources/unsubscribe', async () => ({}));
}
