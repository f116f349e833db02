import { createServer, type ServerResponse } from 'node:http';
import { listenLocally } from './listen-locally.ts';

export type HeldServer = {
  url: string;
  /** host:port, for allow-lists. */
  address: string;
  hold(): void;
  /** Refuses all waiting requests, and later ones immediately. */
  release(): void;
  close(): Promise<void>;
};

/** Starts a server that leaves every request unanswered until it is told to refuse them. */
export async function startHeldServer(): Promise<HeldServer> {
  const held = new Set<ServerResponse>();
  let isHolding = true;
  const refuse = (response: ServerResponse) => void response.writeHead(500).end();
  const { port, close } = await listenLocally(
    createServer((_request, response) => void (isHolding ? held.add(response) : refuse(response))),
  );
  return {
    url: `http://127.0.0.1:${port}/mcp`,
    address: `127.0.0.1:${port}`,
    hold() {
      isHolding = true;
    },
    release() {
      isHolding = false;
      for (const response of held) refuse(response);
      held.clear();
    },
    close,
  };
}
