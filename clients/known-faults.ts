import type { Column } from './columns.ts';

/** A client's fault that its maintainers know. It excuses a cell only while the client fails in exactly this way. */
export type KnownFault = {
  client: string;
  column: Column;
  /** Matches the note of the failed cell. */
  when: RegExp;
  says: string;
  thread: string;
};

export const knownFaults: readonly KnownFault[] = [
  {
    client: 'gemini-cli',
    column: 'refresh',
    when: /redirect_uris must name at least one address/,
    says: 'when a token is refused it registers a client without addresses, where it should renew; /mcp auth helps',
    thread: 'https://github.com/google-gemini/gemini-cli/issues/23296',
  },
  {
    client: 'copilot',
    column: 'off and on',
    when: /the client offers its model no tool/,
    says: 'it reads a list that has the tool again, and does not offer it until it is started again; the thread is a related one',
    thread: 'https://github.com/github/copilot-cli/issues/4731',
  },
  {
    client: 'copilot',
    column: 'restart',
    when: /MCP tool catalog changed before tool/,
    says: 'once its stream of changes has ended it asks for no list and calls nothing until it is started again; the thread is a related one',
    thread: 'https://github.com/github/copilot-cli/issues/4731',
  },
  {
    client: 'qwen-code',
    column: 'refresh',
    when: /Authentication failed\. Please log in again/,
    says: 'when a token is refused it connects again with the same one, where it should renew; the thread is a related one',
    thread: 'https://github.com/QwenLM/qwen-code/issues/6639',
  },
];
