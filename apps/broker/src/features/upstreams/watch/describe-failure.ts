import type { ServerStatus } from '@souk/contract/catalogue/catalogue.ts';
import type { UpstreamError, UpstreamErrorKind } from '#adapters/mcp/upstream-error.ts';

type Described = { status: ServerStatus; detail: string; era: undefined };

/** An unreachable server is `disconnected`; one that is reachable but does not answer properly is `error`. */
const details: Record<UpstreamErrorKind, { status: ServerStatus; detail: string }> = {
  unreachable: { status: 'disconnected', detail: 'The server cannot be reached' },
  closed: { status: 'disconnected', detail: 'The server closed the connection' },
  session_lost: { status: 'disconnected', detail: 'The server lost the session' },
  busy: { status: 'connected', detail: 'The server is busy' },
  restarting: { status: 'disconnected', detail: 'The server has ended and is being started again' },
  quarantined: {
    status: 'error',
    detail:
      'The server crashed three times within a minute. It stays stopped until someone presses Refresh in the marketplace',
  },
  cancelled: { status: 'disconnected', detail: 'The check was interrupted' },
  timeout: { status: 'error', detail: 'The server does not answer in time' },
  bad_upstream: { status: 'error', detail: 'The server does not answer with MCP' },
  bad_result: { status: 'error', detail: 'A result of the server does not match the output schema of its tool' },
  result_too_large: { status: 'error', detail: "The server's answer is too large" },
  too_many_tools: { status: 'error', detail: 'The server has more than 512 tools' },
  sign_in_required: { status: 'error', detail: 'The server requires a sign-in that its manifest does not mention' },
  refused_address: { status: 'error', detail: "The server's address is not allowed here" },
  no_sandbox: { status: 'error', detail: 'Programs need bubblewrap here, and it does not work on this machine' },
  no_network: {
    status: 'error',
    detail: 'This program needs pasta for its network, and pasta does not work on this machine',
  },
  not_allowed: { status: 'error', detail: "This installation does not run the service's program" },
  not_set_up: { status: 'error', detail: 'The operator has not finished setting this service up' },
  shared_folder_full: { status: 'error', detail: 'The files of this program exceed the limit of this installation' },
  folder_full: { status: 'error', detail: 'The files of this program exceed the limit of this installation' },
  disk_full: { status: 'error', detail: 'Programs are stopped: the disk of this installation is almost full' },
  over_limit: { status: 'error', detail: 'The program exceeded its limits' },
  protocol: { status: 'error', detail: 'The server answered with an error' },
};

const maxReasonChars = 1000;

/**
 * Remedy for a server that requires a sign-in although its manifest has none. A server whose manifest has one shows as
 * connected.
 */
const signInRemedy = 'add "auth" to its manifest, or correct the header that it is sent';

/** Returns the reason for the operator, shortened: a server's message may be a megabyte. */
export function reasonOf({ kind, message }: UpstreamError): string {
  const reason = message.slice(0, maxReasonChars);
  return kind === 'sign_in_required' ? `${reason}: ${signInRemedy}` : reason;
}

export function describeFailure(error: UpstreamError): Described {
  return { ...details[error.kind], era: undefined };
}
