import type { RpcBody } from './mcp-clients.ts';

export type StreamMessage = RpcBody & { method?: string; params?: Record<string, unknown> };

/** A stream of events that is read in the background as they arrive. */
export type OpenStream = {
  status: number;
  headers: Headers;
  /** Returns everything received so far. */
  text(): string;
  /** Returns the messages received so far. */
  messages(): StreamMessage[];
  isOver(): boolean;
  /** Resolves when either side has ended the stream. */
  ended: Promise<void>;
  abort(): void;
};

/** Sends a request and reads its response until it ends or the test aborts it. */
export async function openStream(url: string, init: RequestInit): Promise<OpenStream> {
  const controller = new AbortController();
  const response = await fetch(url, { ...init, signal: controller.signal });
  let text = '';
  let over = false;
  const read = async () => {
    const decoder = new TextDecoder();
    for await (const chunk of response.body ?? []) text += decoder.decode(chunk, { stream: true });
  };
  const ended = read()
    .catch(() => undefined)
    .finally(() => {
      over = true;
    });
  return {
    status: response.status,
    headers: response.headers,
    text: () => text,
    messages: () =>
      text
        .slice(0, text.lastIndexOf('\n') + 1)
        .split('\n')
        .filter((line) => line.startsWith('data: {'))
        .map((line): StreamMessage => JSON.parse(line.slice('data: '.length))),
    isOver: () => over,
    ended,
    abort: () => controller.abort(),
  };
}
