/** The question that a client declares but fails at: to open a page (URL elicitation), or any of 2026-07-28. */
type Fault = 'pages' | 'input_required';

export type ClientInfo = { name: string; version: string };

type FailingClient = {
  /** The name in its clientInfo. */
  name: string;
  /** The last version that was seen to fail; later ones are asked. */
  upTo: string;
  fault: Fault;
};

/** Clients that fail at a question they declared. They get a text instead of the question. */
const failingClients: readonly FailingClient[] = [
  // Copilot CLI declares elicitation and cannot read an answer that is input_required (2026-11; tried with 1.0.102;
  // https://github.com/github/copilot-cli/issues/4834 of 1.0.83)
  { name: 'github-copilot-developer', upTo: '1.0.102', fault: 'input_required' },
  // Codex shows its user a stack trace for -32042 (2026-11; tried with 0.169)
  { name: 'codex-mcp-client', upTo: '0.169', fault: 'pages' },
  // Claude Code declares url and cancels the question without showing it; from about 2.1.108 it declares forms only
  // (2026-06; https://github.com/anthropics/claude-code/issues/69555 of 2.1.87)
  { name: 'claude-code', upTo: '2.1.107', fault: 'pages' },
];

export function faultOf(client: ClientInfo | undefined): Fault | undefined {
  return failingClients.find(({ name, upTo }) => name === client?.name && isUpTo(client.version, upTo))?.fault;
}

/** Compares as many leading numbers of a version as `last` has: 0.169.2 is up to 0.169. */
function isUpTo(version: string, last: string): boolean {
  const given = version.slice(0, 64).split('.');
  for (const [index, part] of last.split('.').entries()) {
    const difference = Number.parseInt(given[index] ?? '0', 10) - Number(part);
    // a version without numbers says nothing
    if (Number.isNaN(difference)) return false;
    if (difference !== 0) return difference < 0;
  }
  return true;
}
