import { asRecord, parseObject } from '#platform/json.ts';
import { eventOf, eventStream } from './events.ts';

/**
 * Turns the SDK's answer into JSON, for a client that does not accept event streams. Notices before it are dropped. A
 * canceled call has no answer and gets 202.
 * @param body the client's message or batch
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

/** Turns the SDK's answer into a stream of one event, for a client that accepts only streams. HTTP errors stay unchanged. */
export async function asEventAnswer(response: Response): Promise<Response> {
  if (response.status !== 200 || !isOf(response, 'application/json')) return response;
  return new Response(eventOf(await response.text()), {
    headers: { ...headersOf(response), 'content-type': eventStream },
  });
}

/** Returns the one header of the SDK that belongs to the answer in every type. */
function headersOf({ headers }: Response): Record<string, string> {
  const session = headers.get('mcp-session-id');
  return session === null ? {} : { 'mcp-session-id': session };
}

const isOf = ({ headers }: Response, type: string) => headers.get('content-type')?.startsWith(type) === true;

/** The JSON of an answer, unchanged; nothing for an event that is empty, a comment, a notice or a question. */
function answerIn(event: string): string[] {
  const data = event.split('\n').find((line) => line.startsWith('data: {'));
  const text = data?.slice('data: '.length) ?? '';
  const message = asRecord(parseObject(text));
  return message && message['method'] === undefined && message['id'] !== undefined ? [text] : [];
}
