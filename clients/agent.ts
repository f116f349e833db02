import type { ChildProcess } from 'node:child_process';
import { waitUntil } from '../apps/broker/src/testing/wait-until.ts';
import { startBrowser, type ClientBrowser } from './browser.ts';
import { clientEnv, mustRun } from './command.ts';
import { startModel, type Dialect, type ScriptedModel } from './models/model.ts';
import type { Connected, Program, Setting } from './program.ts';
import { inTerminal, readable, type Reply } from './terminal.ts';

export type AgentRun = {
  setting: Setting;
  model: ScriptedModel;
  browser: ClientBrowser;
  /** Runs the client's own program with these words to its end. */
  command(...words: string[]): Promise<string>;
  commandInTerminal(...words: string[]): Promise<string>;
  /** Starts the program in a terminal, and ends it once it is signed in. */
  signInInTerminal(signIn: TerminalSignIn): Promise<void>;
};

export type TerminalSignIn = {
  words: readonly string[];
  replies?: readonly Reply[];
  /** Whether the program has stored its sign-in, so that it can be ended. By default, once it has listed its tools. */
  until?: () => boolean;
};

/** A client with a model: how to set it up, and how to start one conversation. */
export type Agent = Pick<Program, 'name' | 'label' | 'package'> & {
  dialect: Dialect;
  /** The program, with the path of its executable. */
  program(packages: string): readonly string[];
  env?(setting: Setting, model: ScriptedModel): NodeJS.ProcessEnv;
  /** Adds the link, as a user does once. */
  add(run: AgentRun): Promise<void>;
  /** Signs in, where that is a separate step. */
  signIn?(run: AgentRun): Promise<void>;
  /** Whether the client offers its model the tools of its last conversation before it is connected. */
  remembersTools?: true;
  /** Returns the arguments that start a conversation. */
  talk(run: AgentRun): readonly string[];
};

const endMs = 5_000;

/** Turns an agent into a program, with a ScriptedModel in place of its model. */
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
        const signInInTerminal = async ({ words, replies = [], until }: TerminalSignIn) => {
          const { lists } = setting.trace();
          const isDone = until ?? (() => setting.trace().lists > lists);
          await mustRun(setting, inTerminal([...program, ...words]), { browser, env, replies, until: isDone });
        };
        const run = { setting, model, browser, command, commandInTerminal, signInInTerminal };
        if (!added.has(setting)) await agent.add(run);
        added.add(setting);
        if (setting.person.mustSignIn) await agent.signIn?.(run);
        const [executable = '', ...args] = [...program, ...agent.talk(run)];
        const before = setting.trace().calls.length;
        const child = setting.processes.start(executable, args, {
          cwd: setting.home,
          env: clientEnv(setting, { browser, env }),
          stdio: ['ignore', 'pipe', 'pipe'],
        });
        const client = await converse(child, run, close);
        if (agent.remembersTools)
          await waitUntil('a call of the client to arrive', async () => {
            await model.again();
            return setting.trace().calls.length > before;
          });
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
      reject(new Error(`the conversation ended with ${code}: ${readable(output).slice(-400)} ${why}`));
    });
  });
  ended.catch(() => {});
  // tools() returns those of the newest turn, so a later list needs a new turn
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
