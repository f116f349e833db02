import { administrationBench } from './administration.ts';
import { UsageError, type Bench } from './bench.ts';
import { editorBench } from './editor.ts';
import { endpointsBench } from './endpoints.ts';
import { gatewayBench } from './gateway.ts';
import { ledgerBench } from './ledger.ts';
import { memoryBench } from './memory.ts';
import { serversBench } from './servers.ts';

/** EX_USAGE of sysexits.h. */
const exitUsage = 64;

const benches: Readonly<Record<string, Bench>> = {
  administration: administrationBench,
  editor: editorBench,
  endpoints: endpointsBench,
  gateway: gatewayBench,
  ledger: ledgerBench,
  memory: memoryBench,
  servers: serversBench,
};

const [name, ...args] = process.argv.slice(2);
const bench = name !== undefined && Object.hasOwn(benches, name) ? benches[name] : undefined;
if (bench) {
  process.exitCode = await bench.run(args).catch((error: unknown) => {
    console.error(error instanceof UsageError ? `${error.message}\n${bench.usage}` : error);
    return error instanceof UsageError ? exitUsage : 1;
  });
} else {
  if (name !== undefined) console.error(`There is no benchmark ${JSON.stringify(name)}.`);
  console.error('npm run bench -- <name> [options]\n');
  for (const [known, { description, usage }] of Object.entries(benches)) {
    console.error(`  ${known}   ${description}\n      ${usage}`);
  }
  process.exitCode = exitUsage;
}
