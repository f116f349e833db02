import type { ServerResponse } from 'node:http';

/** Errors and refusals are short; what is longer than this is a result, and not read. */
const maxReadBytes = 256 * 1024;

type Message = Record<string, unknown>;

/**
 * Reads an answer as it goes out, whoever writes it (the SDK, the plain path), and tells once, before the client has all
 * of it, which methods of the request came to a result. Nothing is told of an answer that is cut off.
 */
export function watchAnswer(response: ServerResponse, body: unknown, onAnswered: (methods: string[]) => void): void {
  const asked = messagesOf(body).filter(({ id, method }) => id !== undefined && typeof method === 'string');
  const chunks: Buffer[] = [];
  let bytes = 0;
  function take(chunk: unknown): void {
    if (bytes > maxReadBytes) return;
    const part =
      typeof chunk === 'string' ? Buffer.from(chunk) : chunk instanceof Uint8Array ? Buffer.from(chunk) : undefined;
    if (!part) return;
    bytes += part.length;
    chunks.push(part);
  }
  function finish(): void {
    if (response.statusCode >= 400) return;
    const answers = bytes > maxReadBytes ? undefined : readMessages(Buffer.concat(chunks).toString());
    const came = asked.filter(
      ({ id }) => !answers || answers.some((answer) => answer['id'] === id && cameToSomething(answer)),
    );
    if (came.length > 0) onAnswered(came.map(({ method }) => String(method)));
  }
  response.write = new Proxy(response.write, {
    apply(write, self, args) {
      take(args[0]);
      return Reflect.apply(write, self, args);
    },
  });
  response.end = new Proxy(response.end, {
    apply(end, self, args) {
      take(args[0]);
      finish();
      return Reflect.apply(end, self, args);
    },
  });
}

/** A result; not one by which the gateway says why a call brought nothing (its code is in _meta), nor a question. */
function cameToSomething({ result }: Message): boolean {
  if (!isMessage(result)) return false;
  const { isError, resultType, _meta: meta } = result;
  const isRefusal = isError === true && isMessage(meta) && typeof meta['code'] === 'string';
  return !isRefusal && resultType !== 'input_required';
}

/** Messages of an answer as JSON, or of the events of a stream. */
function readMessages(text: string): Message[] {
  const texts = /^\s*[[{]/.test(text)
    ? [text]
    : text.split(/\r?\n/).flatMap((line) => (line.startsWith('data:') ? [line.slice('data:'.length)] : []));
  return texts.flatMap((one) => {
    try {
      return messagesOf(JSON.parse(one));
    } catch {
      return [];
    }
  });
}

function messagesOf(body: unknown): Message[] {
  return (Array.isArray(body) ? body : [body]).filter(isMessage);
}

function isMessage(value: unknown): value is Message {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
