// `npm run souk -- <command>`: the operator's command line, on the broker's machine.
import { buffer } from 'node:stream/consumers';
import { limitMemory } from '../limit-memory.ts';
import { runCli } from './cli/run-cli.ts';

// a command may open the embedded database itself
limitMemory({ databaseUrl: undefined });

process.exitCode = await runCli(process.argv.slice(2), {
  environment: process.env,
  stdout: (line) => console.log(line),
  stderr: (line) => console.error(line),
  stdin: () => buffer(process.stdin),
});
