// A thread that sends requests, so that measurements of the main thread cover only the broker.
import { Agent, request } from 'node:http';
import { parentPort } from 'node:worker_threads';

export type Asked = { method: string; url: string; headers: Record<string, string>; body: string | undefined };
export type Answered = { status: number; bytes: number };

const agent = new Agent({ keepAlive: true });

// oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread has no origin
const send = (answered: Answered) => parentPort?.postMessage(answered);

parentPort?.on('message', ({ method, url, headers, body }: Asked) => {
  const sent = request(url, { method, headers, agent }, (answer) => {
    let bytes = 0;
    answer.on('data', (piece: Buffer) => (bytes += piece.length));
    answer.on('end', () => send({ status: answer.statusCode ?? 0, bytes }));
  });
  // status 0 stands for a missing answer
  sent.on('error', () => send({ status: 0, bytes: 0 }));
  sent.end(body);
});
