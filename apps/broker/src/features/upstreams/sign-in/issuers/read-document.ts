import type { SignInFetch } from '../sign-in-fetch.ts';
import { SignInProblem } from '../sign-in-problem.ts';

/**
 * Reads a JSON document. Returns undefined when the address does not answer with 200, or answers with an HTML page: many
 * sites show one at every unknown address.
 * @throws SignInProblem when it is not JSON
 */
export async function readDocument(address: string, fetch: SignInFetch): Promise<unknown> {
  const answer = await fetch(address);
  if (answer.status !== 200 || isPage(answer)) return undefined;
  try {
    return await answer.json();
  } catch (error) {
    throw new SignInProblem(`${address} does not answer with JSON`, error);
  }
}

const isPage = ({ headers }: Response) =>
  headers.get('content-type')?.trim().toLowerCase().startsWith('text/html') === true;
