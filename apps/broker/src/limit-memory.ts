import { setFlagsFromString } from 'node:v8';

/** V8's own factor lets the old generation double before it is collected: a call's objects live 10 ms and end up in it. */
const everywhere = ['--heap-growing-percent=30'];

/**
 * What `--liftoff-only` means on Node's command line; set later, the names that it stands for are needed. V8 would otherwise
 * compile PostgreSQL's largest function with its optimizing compiler, which takes 600 MB at the start.
 */
const withEmbeddedDatabase = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];

/**
 * Makes this process, its workers included, use less memory. A worker takes no such flags of its own. Set here rather than on
 * the command line, so that every way to start has them (docs/decisions/0025).
 * Call it before a database is opened.
 */
export function limitMemory({ databaseUrl }: { databaseUrl: string | undefined }): void {
  for (const flag of [...everywhere, ...(databaseUrl === undefined ? withEmbeddedDatabase : [])])
    setFlagsFromString(flag);
}
