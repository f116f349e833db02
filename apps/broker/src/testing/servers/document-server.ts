import { createServer } from 'node:https';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { Agent, buildConnector } from 'undici';
import { listenLocally } from './listen-locally.ts';
import { testCertificate, testCertificateKey } from './client-example-tls.ts';

export type DocumentServer = {
  /** Responses by path; any other path is 404. */
  answers: Map<string, (request: IncomingMessage, response: ServerResponse) => void>;
  /** Requested paths, in order. */
  requests: string[];
  /** Routes https://client.example here, since tests have no public name. */
  dispatcher: Agent;
  close(): Promise<void>;
};

/** Serves https://client.example, where clients publish their metadata documents. */
export async function startDocumentServer(): Promise<DocumentServer> {
  const answers: DocumentServer['answers'] = new Map();
  const requests: string[] = [];
  const server = createServer({ cert: testCertificate, key: testCertificateKey }, (request, response) => {
    requests.push(request.url ?? '');
    const answer = answers.get(request.url ?? '');
    if (answer) return answer(request, response);
    response.writeHead(404);
    return response.end();
  });
  const { port, close } = await listenLocally(server);
  const connect = buildConnector({ ca: testCertificate });
  const dispatcher = new Agent({
    connect: (target, callback) =>
      connect({ ...target, hostname: '127.0.0.1', port: String(port), servername: 'client.example' }, callback),
  });
  return {
    answers,
    requests,
    dispatcher,
    close: async () => {
      await dispatcher.destroy();
      await close();
    },
  };
}
