import { asText, records, sendEvent, type Dialect, type Move } from './model.ts';

const usage = { input_tokens: 1, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };

/** The API of POST /v1/messages. */
export const anthropic: Dialect = {
  read(path, body) {
    if (!path.includes('/messages') || path.includes('count_tokens')) return undefined;
    const tools = records(body['tools']).map(({ name }) => ({ name: String(name) }));
    const blocks = records(body['messages']).flatMap(({ content }) => records(content));
    return {
      tools,
      results: blocks.filter(({ type }) => type === 'tool_result').map(({ content }) => asText(content)),
      main: body['stream'] === true && tools.length > 1,
    };
  },
  begin(_, body, answer) {
    if (body['stream'] !== true) return;
    answer.writeHead(200, { 'content-type': 'text/event-stream' });
    const message = { ...messageOf(body), content: [], stop_reason: null };
    sendEvent(answer, { type: 'message_start', message }, 'message_start');
  },
  keepAlive: 'event: ping\ndata: {"type":"ping"}\n\n',
  finish(_, body, answer, move) {
    const block = blockOf(move);
    const stop_reason = move === 'end' ? 'end_turn' : 'tool_use';
    if (body['stream'] !== true) {
      answer.setHeader('content-type', 'application/json');
      answer.end(JSON.stringify({ ...messageOf(body), content: [block], stop_reason }));
      return;
    }
    const send = (type: string, data: object) => sendEvent(answer, { type, ...data }, type);
    const empty = move === 'end' ? { type: 'text', text: '' } : { ...block, input: {} };
    const delta =
      move === 'end'
        ? { type: 'text_delta', text: 'Done.' }
        : { type: 'input_json_delta', partial_json: JSON.stringify(move.args) };
    send('content_block_start', { index: 0, content_block: empty });
    send('content_block_delta', { index: 0, delta });
    send('content_block_stop', { index: 0 });
    send('message_delta', { delta: { stop_reason, stop_sequence: null }, usage });
    send('message_stop', {});
    answer.end();
  },
  other: () => ({ input_tokens: 1, data: [] }),
};

const messageOf = ({ model }: Record<string, unknown>) => ({
  id: 'msg_1',
  type: 'message',
  role: 'assistant',
  model,
  stop_sequence: null,
  usage,
});

const blockOf = (move: Move) =>
  move === 'end'
    ? { type: 'text', text: 'Done.' }
    : { type: 'tool_use', id: `toolu_${move.id}`, name: move.tool.name, input: move.args };
