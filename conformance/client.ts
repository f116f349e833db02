// Program that the official suite starts in client mode, with the URL of its own server. MCP_CONFORMANCE_SCENARIO names
// the scenario. For a sign-in, this program passes the scenario to the broker of the run.
import { signInControl } from './sign-in-control.ts';

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
