import type { ServerResponse } from 'node:http';
import { asText, records, sendEvent, type Dialect, type Move, type ToolName } from './model.ts';
import { asRecord } from '../../apps/broker/src/platform/json.ts';

/** The API of POST /v1/chat/completions. */
export const chatCompletions: Dialect = {
  read(path, body) {
    if (!path.includes('/chat/completions')) return undefined;
    const tools = records(body['tools']).map((tool) => ({ name: String(asRecord(tool['function'])?.['name']) }));
    return {
      tools,
      results: records(body['messages'])
        .filter(({ role }) => role === 'tool')
        .map(({ content }) => asText(content)),
      main: tools.length > 1,
    };
  },
  begin(_, body, answer) {
    const type = body['stream'] === true ? 'text/event-stream' : 'application/json';
    answer.writeHead(200, { 'content-type': type });
  },
  keepAlive: ': thinking\n\n',
  finish(_, body, answer, move) {
    const message = {
      role: 'assistant',
      content: move === 'end' ? 'Done.' : null,
      ...(move !== 'end' && { tool_calls: [{ index: 0, id: move.id, type: 'function', function: functionOf(move) }] }),
    };
    const finish_reason = move === 'end' ? 'stop' : 'tool_calls';
    const usage = { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 };
    const base = { id: 'chat_1', created: 1, model: body['model'] };
    if (body['stream'] !== true) {
      const choices = [{ index: 0, message, finish_reason }];
      answer.end(JSON.stringify({ ...base, object: 'chat.completion', choices, usage }));
      return;
    }
    const send = (choices: unknown[], more = {}) =>
      sendEvent(answer, { ...base, object: 'chat.completion.chunk', choices, ...more });
    send([{ index: 0, delta: message, finish_reason: null }]);
    send([{ index: 0, delta: {}, finish_reason }]);
    send([], { usage });
    answer.end('data: [DONE]\n\n');
  },
  other: models,
};

/** The API of POST /v1/responses, here always with a stream. */
export const responses: Dialect = {
  read(path, body) {
    if (!path.includes('/responses')) return undefined;
    const tools = records(body['tools']).flatMap(toolsIn);
    return {
      tools,
      results: records(body['input'])
        .filter(({ type }) => type === 'function_call_output')
        .map(({ output }) => asText(output)),
      main: tools.length > 1,
    };
  },
  begin(_, __, answer) {
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    sendTyped(answer, 'response.created', { response: { id: 'resp_1' } });
  },
  keepAlive: ': thinking\n\n',
  finish(_, __, answer, move) {
    const item =
      move === 'end'
        ? {
            type: 'message',
            id: 'msg_1',
            role: 'assistant',
            content: [{ type: 'output_text', text: 'Done.' }],
          }
        : {
            type: 'function_call',
            id: `fc_${move.id}`,
            call_id: move.id,
            ...functionOf(move),
            ...(move.tool.namespace !== undefined && { namespace: move.tool.namespace }),
          };
    sendTyped(answer, 'response.output_item.done', { output_index: 0, item });
    const usage = {
      input_tokens: 1,
      input_tokens_details: null,
      output_tokens: 1,
      output_tokens_details: null,
      total_tokens: 2,
    };
    sendTyped(answer, 'response.completed', { response: { id: 'resp_1', usage } });
    answer.end();
  },
  other: models,
};

const functionOf = ({ tool, args }: Exclude<Move, 'end'>) => ({ name: tool.name, arguments: JSON.stringify(args) });

/** Returns a tool, or the tools of a namespace. */
function toolsIn(tool: Record<string, unknown>): ToolName[] {
  const name = String(tool['name']);
  if (tool['type'] !== 'namespace') return [{ name }];
  return records(tool['tools']).map((inner) => ({ name: String(inner['name']), namespace: name }));
}

function sendTyped(answer: ServerResponse, type: string, data: object): void {
  sendEvent(answer, { type, ...data }, type);
}

function models() {
  return { object: 'list', data: [{ id: 'told', object: 'model', created: 1, owned_by: 'souk' }], models: [] };
}
