import { existsSync, readdirSync, statSync } from 'node:fs';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { agentProgram } from '../agent.ts';
import { asRecord, parseObject } from '../../apps/broker/src/platform/json.ts';
import { anthropic } from '../models/anthropic.ts';
import { gemini } from '../models/gemini.ts';
import { chatCompletions, responses } from '../models/openai.ts';
import { filledForm, type Program } from '../program.ts';

const executable = (name: string) => (packages: string) => [join(packages, 'node_modules/.bin', name)];

const claudeCode = agentProgram({
  name: 'claude-code',
  label: 'Claude Code',
  package: '@anthropic-ai/claude-code',
  dialect: anthropic,
  program: executable('claude'),
  env: (_, { url }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_API_KEY: 'none',
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    // list all tools instead of searching them
    ENABLE_TOOL_SEARCH: 'false',
  }),
  async add({ command, setting }) {
    // answers a form instead of the dialog
    const hookSpecificOutput = { hookEventName: 'Elicitation', action: 'accept', content: filledForm };
    const hook = { type: 'command', command: `echo '${JSON.stringify({ hookSpecificOutput })}'` };
    await mergeJson(join(setting.home, '.claude/settings.json'), { hooks: { Elicitation: [{ hooks: [hook] }] } });
    await command('mcp', 'add', '-s', 'user', '--transport', 'http', 'souk', setting.link);
  },
  signIn: async ({ commandInTerminal }) => {
    await commandInTerminal('mcp', 'login', 'souk');
  },
  talk: () => ['-p', 'go', '--allowedTools', 'mcp__souk'],
});

const codexSettings = (home: string) => join(home, '.codex/config.toml');

const codex = agentProgram({
  name: 'codex',
  label: 'Codex',
  package: '@openai/codex',
  dialect: responses,
  program: executable('codex'),
  async add({ command, setting }) {
    await write(codexSettings(setting.home), 'mcp_oauth_credentials_store = "file"\n');
    // this also signs in, but reports success even when the sign-in fails
    await command('mcp', 'add', 'souk', '--url', setting.link);
  },
  signIn: async ({ command }) => {
    await command('mcp', 'login', 'souk');
  },
  talk: ({ model }) => {
    const provider = `{name="told",base_url="${model.url}/v1",wire_api="responses"}`;
    const settings = ['model="told"', 'model_provider="told"', `model_providers.told=${provider}`];
    return [
      'exec',
      '--skip-git-repo-check',
      '--dangerously-bypass-approvals-and-sandbox',
      ...settings.flatMap((setting) => ['-c', setting]),
      'go',
    ];
  },
});

const geminiCli = agentProgram({
  name: 'gemini-cli',
  label: 'Gemini CLI',
  package: '@google/gemini-cli',
  dialect: gemini,
  program: executable('gemini'),
  env: (_, { url }) => ({
    GEMINI_API_KEY: 'none',
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
    GEMINI_FORCE_FILE_STORAGE: 'true',
  }),
  async add({ command, setting }) {
    await mergeJson(join(setting.home, '.gemini/settings.json'), {
      security: { auth: { selectedType: 'gemini-api-key' } },
      general: { enableAutoUpdate: false },
      privacy: { usageStatisticsEnabled: false },
    });
    await command('mcp', 'add', '-s', 'user', '--transport', 'http', 'souk', setting.link);
  },
  signIn: ({ signInInTerminal }) =>
    signInInTerminal({
      words: ['-p', '/mcp auth souk'],
      replies: [{ to: /Opening authentication page in your browser.*continue/, type: 'y\r' }],
    }),
  talk: () => ['--approval-mode', 'yolo', '-p', 'go'],
});

const qwenCode = agentProgram({
  name: 'qwen-code',
  label: 'Qwen Code',
  package: '@qwen-code/qwen-code',
  dialect: chatCompletions,
  program: executable('qwen'),
  env: (_, { url }) => ({ OPENAI_API_KEY: 'none', OPENAI_BASE_URL: `${url}/v1`, OPENAI_MODEL: 'told' }),
  async add({ command, setting }) {
    const file = join(setting.home, '.qwen/settings.json');
    await command('mcp', 'add', '-s', 'user', '--transport', 'http', 'souk', setting.link);
    const added = asRecord(asRecord((await readJson(file))['mcpServers'])?.['souk']);
    await mergeJson(file, {
      security: { auth: { selectedType: 'openai' } },
      general: { disableAutoUpdate: true },
      privacy: { usageStatisticsEnabled: false },
      // list all tools instead of searching them; after a new sign-in only calls of trusted servers are repeated
      mcpServers: { souk: { ...added, alwaysLoadTools: true, trust: true } },
    });
  },
  // in a terminal it signs in when necessary
  signIn: ({ signInInTerminal }) => signInInTerminal({ words: [] }),
  talk: () => ['--approval-mode', 'yolo', '-p', 'go'],
});

const opencode = agentProgram({
  name: 'opencode',
  label: 'opencode',
  package: 'opencode-ai',
  dialect: chatCompletions,
  program: executable('opencode'),
  env: (_, { url }) => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_CONFIG_CONTENT: JSON.stringify({
      model: 'told/told',
      small_model: 'told/told',
      share: 'disabled',
      provider: {
        told: {
          npm: '@ai-sdk/openai-compatible',
          name: 'told',
          options: { baseURL: `${url}/v1`, apiKey: 'none' },
          models: { told: { name: 'told', tool_call: true } },
        },
      },
    }),
  }),
  async add({ setting }) {
    const servers = { souk: { type: 'remote', url: setting.link, enabled: true } };
    await write(join(setting.home, '.config/opencode/opencode.json'), JSON.stringify({ mcp: servers }));
  },
  signIn: async ({ command }) => {
    await command('mcp', 'auth', 'souk');
  },
  talk: () => ['run', '--model', 'told/told', 'go'],
});

const copilot = agentProgram({
  name: 'copilot',
  label: 'Copilot CLI',
  package: '@github/copilot',
  dialect: chatCompletions,
  program: executable('copilot'),
  env: (_, { url }) => ({
    COPILOT_OFFLINE: 'true',
    COPILOT_AUTO_UPDATE: 'false',
    COPILOT_PROVIDER_BASE_URL: `${url}/v1`,
    COPILOT_PROVIDER_API_KEY: 'none',
    COPILOT_MODEL: 'told',
  }),
  async add({ command, setting }) {
    await write(join(setting.home, '.copilot/config.json'), JSON.stringify({ trusted_folders: [setting.home] }));
    await command('mcp', 'add', '--transport', 'http', 'souk', setting.link);
  },
  // in a terminal it signs in when necessary, and has its tools before it stores its token
  signIn: ({ signInInTerminal, setting }) => {
    const since = Date.now();
    const tokens = join(setting.home, '.copilot/mcp-oauth-config');
    // it signs in by itself only the first time
    const words = setting.person.signIns === 0 ? [] : ['-i', '/mcp auth souk'];
    return signInInTerminal({ words, until: () => hasNewer(tokens, 'tokens.json', since) });
  },
  remembersTools: true,
  talk: () => ['-p', 'go', '--allow-all'],
});

/** Agents that run in a terminal. */
export const agentPrograms: readonly Program[] = [claudeCode, codex, geminiCli, copilot, opencode, qwenCode];

function hasNewer(folder: string, ending: string, since: number): boolean {
  const files = existsSync(folder) ? readdirSync(folder) : [];
  return files.some((file) => file.endsWith(ending) && statSync(join(folder, file)).mtimeMs >= since);
}

async function write(file: string, text: string): Promise<void> {
  await mkdir(dirname(file), { recursive: true });
  await writeFile(file, text);
}

async function mergeJson(file: string, more: Record<string, unknown>): Promise<void> {
  await write(file, JSON.stringify({ ...(await readJson(file)), ...more }));
}

async function readJson(file: string): Promise<Record<string, unknown>> {
  return parseObject(await readFile(file, 'utf8').catch(() => '{}')) ?? {};
}
