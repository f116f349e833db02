import { asRecord } from '#platform/json.ts';

/** Anthropic's API takes only such names of arguments. */
const argumentName = /^[A-Za-z0-9_.-]{1,64}$/;

/** The first thing in a tool's input schema for which clients or their models refuse the tool, in words. */
export function refusedSchema(schema: unknown): string | undefined {
  const odd = Object.keys(asRecord(asRecord(schema)?.['properties']) ?? {}).find((name) => !argumentName.test(name));
  return odd === undefined ? undefined : `the name of the argument "${odd.slice(0, 80)}"`;
}
