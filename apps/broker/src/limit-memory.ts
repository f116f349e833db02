import { setFlagsFromString } from 'node:v8';

/** By default, V8 collects the old generation only once it has doubled, and a call's objects live long enough to reach it. */
const everywhere = ['--heap-growing-percent=30'];

/**
 * The flags that `--liftoff-only` stands for, which V8 does not expand after its start. Its optimizing compiler would take
 * 600 MB at the start for PostgreSQL's largest function.
 */
const withEmbeddedDatabase = ['--no-wasm-tier-up', '--no-wasm-dynamic-tiering'];

/**
 * Makes this process and its workers use less memory. The flags are set here and not on the command line, so that they apply
 * however the broker is started (docs/decisions/0025). Call this before a database is opened.
 */
export function limitMemory({ databaseUrl }: { databaseUrl: string | undefined }): void {
  for (const flag of [...everywhere, ...(databaseUrl === undefined ? withEmbeddedDatabase : [])])
    setFlagsFromString(flag);
}
