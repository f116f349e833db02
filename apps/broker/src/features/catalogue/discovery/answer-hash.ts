import { createHash } from 'node:crypto';
import { eachInTurns } from '#platform/work/in-turns.ts';
import type { Discovered } from './discovered.ts';

/**
 * SHA-256 of a server's whole answer to a discovery. While it is the same, nothing needs to be stored: most servers
 * answer the same at each start, and storing costs a hundred times as much.
 * @param judgedBy other inputs that decide what is stored: the versions of the manifest and of this program
 */
export async function answerHash(discovered: Discovered, judgedBy: string): Promise<string> {
  const { tools, prompts, resources, templates, instructions, features, asks, leftOut } = discovered;
  const hash = createHash('sha256').update(
    JSON.stringify([judgedBy, instructions, features, asks && [...asks], leftOut]),
  );
  for (const [kind, bodies] of Object.entries({ tools, prompts, resources, templates })) {
    hash.update(`${kind} ${bodies.length}`);
    await eachInTurns(bodies, (body) => hash.update(JSON.stringify(body)));
  }
  return hash.digest('hex');
}
