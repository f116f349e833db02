import type { Column } from './columns.ts';

/** A client's fault that its maintainers know. A cell counts as known only while the client fails in exactly this way. */
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
    says: 'after a token is refused, it registers a client without redirect addresses instead of renewing the token; /mcp auth helps',
    thread: 'https://github.com/google-gemini/gemini-cli/issues/23296',
  },
  {
    client: 'copilot',
    column: 'off and on',
    when: /the client offers its model no tool/,
    says: 'it refetches a list that contains the tool again, but does not offer the tool until it is restarted; the thread is about a related bug',
    thread: 'https://github.com/github/copilot-cli/issues/4731',
  },
  {
    client: 'copilot',
    column: 'restart',
    when: /MCP tool catalog changed before tool/,
    says: 'after its notification stream ends, it fetches no list and makes no call until it is restarted; the thread is about a related bug',
    thread: 'https://github.com/github/copilot-cli/issues/4731',
  },
  {
    client: 'qwen-code',
    column: 'refresh',
    when: /Authentication failed\. Please log in again/,
    says: 'after a token is refused, it reconnects with the same token instead of renewing it; the thread is about a related bug',
    thread: 'https://github.com/QwenLM/qwen-code/issues/6639',
  },
];
