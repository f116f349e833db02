import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { UsageError } from './bench.ts';

export const gatewayUsage =
  'gateway [--seconds 1.2] [--rounds 3] [--clients 1,32,128] [--upstreams raw,sdk] [--database pglite|postgres|both] [--askable] [--uncharged] [--memory] [--traced] [--write] [--profile FOLDER] [--against FOLDER]';

export type DatabaseKind = 'pglite' | 'postgres';
export type UpstreamName = 'raw' | 'sdk';

export type GatewayOptions = {
  /** Duration of each measurement. */
  seconds: number;
  rounds: number;
  /** Numbers of connections, each a case. */
  clients: readonly number[];
  upstreams: readonly UpstreamName[];
  databases: readonly DatabaseKind[];
  /** Whether clients declare elicitation, sampling and roots. */
  askable: boolean;
  /** Also measures a tool that costs credits. */
  charged: boolean;
  /** Reports the composition of each broker's peak memory. Sampling costs a little, so leave it out to compare speed. */
  memory: boolean;
  /** Also measures a broker that sends a trace of each call to a collector. */
  traced: boolean;
  /** Writes the figures into docs/performance.md. */
  write: boolean;
  /** Folder for the broker's CPU profiles. */
  profile: string | undefined;
  /** Another checkout, with packages installed, whose broker is measured in the same rounds. */
  against: string | undefined;
};

export function brokerProgram(checkout: string): URL {
  return pathToFileURL(resolve(checkout, 'bench/parts/broker.ts'));
}

/** @throws UsageError with the reason */
export function parseGatewayOptions(args: readonly string[]): GatewayOptions {
  const { values } = parse(args);
  return {
    seconds: number('seconds', values.seconds, 0.1, 60),
    rounds: whole('rounds', values.rounds, 1, 100),
    clients: values.clients.split(',').map((text) => whole('clients', text, 1, 1000)),
    upstreams: values.upstreams.split(',').map(upstream),
    databases: databases(values.database),
    askable: values.askable,
    charged: !values.uncharged,
    memory: values.memory,
    traced: values.traced,
    write: values.write,
    profile: values.profile,
    against: checkout(values.against),
  };
}

function parse(args: readonly string[]) {
  try {
    return parseArgs({
      args: [...args],
      options: {
        // six cases of the raw upstream and four of the SDK's, with up to four targets each, take less than four minutes
        seconds: { type: 'string', default: '1.2' },
        rounds: { type: 'string', default: '3' },
        clients: { type: 'string', default: '1,32,128' },
        upstreams: { type: 'string', default: 'raw,sdk' },
        database: { type: 'string', default: 'both' },
        askable: { type: 'boolean', default: false },
        uncharged: { type: 'boolean', default: false },
        memory: { type: 'boolean', default: false },
        traced: { type: 'boolean', default: false },
        write: { type: 'boolean', default: false },
        profile: { type: 'string' },
        against: { type: 'string' },
      },
    });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function checkout(folder: string | undefined): string | undefined {
  if (folder === undefined || existsSync(brokerProgram(folder))) return folder;
  throw new UsageError(`--against: ${folder} is not a checkout of this project`);
}

function upstream(text: string): UpstreamName {
  if (text === 'raw' || text === 'sdk') return text;
  throw new UsageError(`--upstreams: ${text} is not raw or sdk`);
}

function databases(text: string): DatabaseKind[] {
  if (text === 'both') return ['pglite', 'postgres'];
  if (text === 'pglite' || text === 'postgres') return [text];
  throw new UsageError(`--database: ${text} is not pglite, postgres or both`);
}

function number(name: string, text: string, min: number, max: number): number {
  const value = text.trim() === '' ? Number.NaN : Number(text);
  if (!(value >= min && value <= max)) throw new UsageError(`--${name}: ${text} is not a number from ${min} to ${max}`);
  return value;
}

function whole(name: string, text: string, min: number, max: number): number {
  const value = number(name, text, min, max);
  if (!Number.isInteger(value)) throw new UsageError(`--${name}: ${text} is not a whole number`);
  return value;
}
