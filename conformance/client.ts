// What the official suite starts in client mode, with the address of its own server. MCP_CONFORMANCE_SCENARIO says what is
// wanted. A sign-in needs a broker: the run has one, and this program only tells it of the scenario.
import { signInControl } from './sign-in-scenario.ts';

const scenario = process.env['MCP_CONFORMANCE_SCENARIO'] ?? '';
const control = process.env[signInControl];
if (scenario.startsWith('auth/') && control !== undefined) {
  const answer = await fetch(control, {
    method: 'POST',
    body: JSON.stringify({
      scenario,
      url: process.argv.at(-1),
      context: JSON.parse(process.env['MCP_CONFORMANCE_CONTEXT'] ?? '{}'),
    }),
  });
  if (!answer.ok) {
    console.error(await answer.text());
    process.exitCode = 1;
  }
} else await import('./call-upstream.ts');
