import type { ChildProcess } from 'node:child_process';
import { waitUntil } from '../apps/broker/src/testing/wait-until.ts';
import { startBrowser, type ClientBrowser } from './browser.ts';
import { clientEnv, inTerminal, mustRun } from './command.ts';
import { startModel, type Dialect, type ToldModel } from './models/model.ts';
import type { Connected, Program, Setting } from './program.ts';

export type AgentRun = {
  setting: Setting;
  model: ToldModel;
  browser: ClientBrowser;
  /** The client's own program, for commands that end. */
  command(...words: string[]): Promise<string>;
  /** The same, in a terminal. */
  commandInTerminal(...words: string[]): Promise<string>;
  /** Starts it in a terminal, types `input`, and ends it once it has its tools, after a sign-in where it needs one. */
  signInInTerminal(input: string, ...words: string[]): Promise<void>;
};

/** A client that has a model: how it is set up, and how one conversation of it is started. */
export type Agent = Pick<Program, 'name' | 'label' | 'package'> & {
  dialect: Dialect;
  /** The program, with the path of its executable. */
  program(packages: string): readonly string[];
  env?(setting: Setting, model: ToldModel): NodeJS.ProcessEnv;
  /** Adds the link, as its user does once. */
  add(run: AgentRun): Promise<void>;
  /** Signs in, where that is a step of its own. */
  signIn?(run: AgentRun): Promise<void>;
  /** The conversation runs in a terminal, where the client signs its user in as soon as it starts. */
  terminal?: true;
  /** The arguments that start a conversation. */
  talk(run: AgentRun): readonly string[];
};

const endMs = 5_000;

/** Makes an agent one that is told what to do: see ToldModel. */
export function agentProgram(agent: Agent): Program {
  const added = new WeakSet<Setting>();
  return {
    name: agent.name,
    label: agent.label,
    package: agent.package,
    packages: agent.name,
    async connect(setting) {
      const [model, browser] = await Promise.all([
        startModel(agent.dialect),
        startBrowser(setting.person, setting.home),
      ]);
      const close = async () => {
        await Promise.all([model.close(), browser.close()]);
      };
      try {
        const env = agent.env?.(setting, model) ?? {};
        const program = agent.program(setting.packages);
        const command = (...words: string[]) => mustRun(setting, [...program, ...words], { browser, env });
        const commandInTerminal = (...words: string[]) =>
          mustRun(setting, inTerminal([...program, ...words]), { browser, env });
        const signInInTerminal = async (input: string, ...words: string[]) => {
          const { lists } = setting.trace();
          const until = () => setting.trace().lists > lists;
          await mustRun(setting, inTerminal([...program, ...words]), { browser, env, input, until });
        };
        const run = { setting, model, browser, command, commandInTerminal, signInInTerminal };
        if (!added.has(setting)) await agent.add(run);
        added.add(setting);
        await agent.signIn?.(run);
        const words = [...program, ...agent.talk(run)];
        const [executable = '', ...args] = agent.terminal ? inTerminal(words) : words;
        const { lists } = setting.trace();
        const child = setting.processes.start(executable, args, {
          cwd: setting.home,
          env: clientEnv(setting, { browser, env }),
          stdio: [agent.terminal ? 'pipe' : 'ignore', 'pipe', 'pipe'],
        });
        const client = await converse(child, run, close);
        if (agent.terminal)
          await waitUntil('the client to have its tools', () => setting.trace().lists > lists, 60_000);
        return client;
      } catch (error) {
        await close();
        throw error;
      }
    },
  };
}

async function converse(
  child: ChildProcess,
  { setting, model, browser }: AgentRun,
  close: () => Promise<void>,
): Promise<Connected> {
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream?.on('data', (chunk) => (output = (output + String(chunk)).slice(-4_000)));
  const ended = new Promise<never>((_, reject) => {
    child.once('error', reject);
    child.once('exit', (code) => {
      const why = browser.failure()?.message ?? '';
      reject(new Error(`the conversation ended with ${code}: ${output.slice(-400)} ${why}`));
    });
  });
  ended.catch(() => {});
  // the list of a turn is as old as the turn
  let isFresh = true;
  await Promise.race([model.tools(), ended]);
  return {
    async tools() {
      if (!isFresh) await Promise.race([model.again(), ended]);
      isFresh = false;
      return Promise.race([model.tools(), ended]);
    },
    call: (tool, args) => Promise.race([model.call(tool, args), ended]),
    async close() {
      model.end();
      const late = new Promise((resolve) => setTimeout(resolve, endMs));
      await Promise.race([ended.catch(() => {}), late]);
      await setting.processes.end(child);
      await close();
    },
  };
}
