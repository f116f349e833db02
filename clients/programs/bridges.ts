import { join } from 'node:path';
import { writeFile, mkdir } from 'node:fs/promises';
import { connectMcpRemote } from '../../e2e/clients/mcp-remote.ts';
import { startBrowser } from '../browser.ts';
import { mustRun, runCommand } from '../command.ts';
import { filledForm, type Connected, type Program, type Setting } from '../program.ts';
import { parseObject, isRecord } from '../../apps/broker/src/platform/json.ts';

const callTimeoutMs = 60_000;

/** Programs without a model. Each command connects, asks and ends, except mcp-remote, which keeps running. */
export const bridgePrograms: readonly Program[] = [
  { name: 'mcp-remote', label: 'mcp-remote', package: 'mcp-remote', connect: openMcpRemote },
  {
    name: 'inspector-token',
    label: 'Inspector --cli, token',
    package: '@modelcontextprotocol/inspector',
    token: true,
    connect: inspector('legacy', true),
  },
  {
    name: 'inspector',
    label: 'Inspector --cli, legacy',
    package: '@modelcontextprotocol/inspector',
    connect: inspector('legacy', false),
  },
  {
    name: 'inspector-modern',
    label: 'Inspector --cli, modern',
    package: '@modelcontextprotocol/inspector',
    connect: inspector('modern', false),
  },
  { name: 'mcporter', label: 'mcporter', packages: 'mcporter', package: 'mcporter', connect: openMcporter },
];

async function openMcpRemote({ link, person, home }: Setting): Promise<Connected> {
  let failure: unknown;
  const onAddress = (address: string) =>
    void person.allowAndReturn(address).catch((error: unknown) => (failure = error));
  const onForm = () => ({ action: 'accept' as const, content: filledForm });
  const client = await connectMcpRemote(link, { home, onAddress, onForm }).catch((error: unknown) => {
    throw failure ?? error;
  });
  return {
    tools: async () => (await client.listTools()).tools.map(({ name }) => name),
    call: async (name, args) =>
      JSON.stringify(
        await client.callTool({ name, arguments: args }, { onprogress: () => {}, timeout: callTimeoutMs }),
      ),
    close: () => client.close(),
  };
}

function inspector(era: 'legacy' | 'modern', withToken: boolean): Program['connect'] {
  return async (setting) => {
    const launcher = 'node_modules/@modelcontextprotocol/inspector/clients/launcher/build/index.js';
    const browser = await startBrowser(setting.person, setting.home);
    const header = withToken ? ['--header', `Authorization: Bearer ${await setting.person.createToken()}`] : [];
    const target = [setting.link, '--transport', 'http', '--protocol-era', era, ...header, '--quiet'];
    const ask = async (...words: string[]) =>
      mustRun(setting, [process.execPath, join(setting.packages, launcher), '--cli', ...target, ...words], {
        browser,
        // otherwise it keeps its sign-in for one command only in a container
        env: { MCP_AUTO_OPEN_ENABLED: 'true', MCP_INSPECTOR_SECRET_STORE: 'file' },
      });
    const tools = async () => namesIn(await ask('--method', 'tools/list'));
    await tools();
    return {
      tools,
      call: (name, args) =>
        ask('--method', 'tools/call', '--tool-name', name, '--tool-args-json', JSON.stringify(args)),
      close: () => browser.close(),
    };
  };
}

async function openMcporter(setting: Setting): Promise<Connected> {
  const browser = await startBrowser(setting.person, setting.home);
  const config = join(setting.home, 'config');
  await mkdir(config, { recursive: true });
  await writeFile(
    join(config, 'mcporter.json'),
    JSON.stringify({ mcpServers: { souk: { baseUrl: setting.link, auth: 'oauth' } }, imports: [] }),
  );
  const program = [process.execPath, join(setting.packages, 'node_modules/mcporter/dist/cli.js')];
  const ask = (...words: string[]) => mustRun(setting, [...program, ...words], { browser });
  await ask('auth', 'souk');
  return {
    tools: async () => namesIn(await ask('list', 'souk', '--json')),
    async call(name, args) {
      const words = ['call', `souk.${name}`, '--args', JSON.stringify(args), '--output', 'json'];
      // a failed tool makes the command fail too
      const { stdout, stderr } = await runCommand(setting, [...program, ...words], { browser });
      return stdout.trim() === '' ? stderr : stdout;
    },
    close: () => browser.close(),
  };
}

function namesIn(json: string): string[] {
  const tools = parseObject(json)?.['tools'];
  if (!Array.isArray(tools)) throw new Error(`no list of tools: ${json.slice(0, 200)}`);
  return tools.filter(isRecord).map(({ name }) => String(name));
}
