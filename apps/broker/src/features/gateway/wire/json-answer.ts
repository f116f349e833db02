import { asRecord, parseObject } from '#platform/json.ts';

const eventStream = 'text/event-stream';

/**
 * The SDK's answer as JSON, for a client that takes no event stream. Notices that come before it are dropped: there is no place
 * for them. A call that was canceled has no answer, and is accepted without one.
 * @param body the client's message, or its batch
 */
export async function asJsonAnswer(response: Response, body: unknown): Promise<Response> {
  if (!response.body || !isOf(response, eventStream)) return response;
  const answers: string[] = [];
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of response.body) {
    const events = (rest + decoder.decode(chunk, { stream: true })).split('\n\n');
    rest = events.pop() ?? '';
    answers.push(...events.flatMap(answerIn));
  }
  if (answers.length === 0) return new Response(null, { status: 202, headers: headersOf(response) });
  const text = Array.isArray(body) ? `[${answers.join(',')}]` : (answers.at(-1) ?? '');
  return new Response(text, { headers: { ...headersOf(response), 'content-type': 'application/json' } });
}

/** The SDK's answer as the one event of a stream, for a client that takes nothing else. Errors of HTTP stay as they are. */
export async function asEventAnswer(response: Response): Promise<Response> {
  if (response.status !== 200 || !isOf(response, 'application/json')) return response;
  const text = `event: message\ndata: ${await response.text()}\n\n`;
  return new Response(text, { headers: { ...headersOf(response), 'content-type': eventStream } });
}

/** Of the SDK's headers the only one that belongs to the answer in every type. */
function headersOf({ headers }: Response): Record<string, string> {
  const session = headers.get('mcp-session-id');
  return session === null ? {} : { 'mcp-session-id': session };
}

const isOf = ({ headers }: Response, type: string) => headers.get('content-type')?.startsWith(type) === true;

/** The JSON of an answer as it was written; nothing where an event is empty, a comment, a notice or a question. */
function answerIn(event: string): string[] {
  const data = event.split('\n').find((line) => line.startsWith('data: {'));
  const text = data?.slice('data: '.length) ?? '';
  const message = asRecord(parseObject(text));
  return message && message['method'] === undefined && message['id'] !== undefined ? [text] : [];
}
