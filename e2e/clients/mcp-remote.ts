import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client, type ElicitResult } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';

const program = join(import.meta.dirname, '../../node_modules/mcp-remote/dist/proxy.js');

/** Creates a folder for the state of mcp-remote. */
export async function openHome(): Promise<{ path: string; remove(): Promise<void> }> {
  const path = await mkdtemp(join(tmpdir(), 'souk-mcp-remote-'));
  return { path, remove: () => rm(path, { recursive: true, force: true }) };
}

/**
 * Connects a stdio-only client through mcp-remote to our link.
 * @param options.args further arguments for mcp-remote
 * @param options.onForm answers the form of a server
 * @param options.onAddress gets the URL that mcp-remote opens in a browser. The browser that it starts does nothing
 */
export async function connectMcpRemote(
  link: string,
  options: {
    home: string;
    args?: readonly string[];
    onAddress?: (address: string) => void;
    onForm?: () => ElicitResult;
  },
): Promise<Client> {
  const { home, args = [], onAddress, onForm } = options;
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [program, link, ...args],
    env: { PATH: process.env['PATH'] ?? '', HOME: home, MCP_REMOTE_CONFIG_DIR: join(home, 'auth'), BROWSER: 'true' },
    stderr: 'pipe',
  });
  let printed = '';
  transport.stderr?.on('data', (chunk) => {
    printed += String(chunk);
    const address = /^(http\S+\/oauth\/authorize\?\S+)\r?\n/m.exec(printed)?.[1];
    if (address === undefined) return;
    printed = '';
    onAddress?.(address);
  });
  const client = new Client(
    { name: 'stdio-only', version: '1' },
    { capabilities: onForm ? { elicitation: { form: {} } } : {} },
  );
  if (onForm) client.setRequestHandler('elicitation/create', async () => onForm());
  await client.connect(transport, { timeout: 60_000 });
  return client;
}
