import type { CallToolResult } from '@modelcontextprotocol/server';
import type { QuestionKind } from '@souk/contract/manifest/manifest-basics.ts';
import { stopped } from './open-questions.ts';
import { failedResult } from './own-results.ts';
import { UpstreamError, type UpstreamErrorKind } from '#adapters/mcp/upstream-error.ts';

export type FailureFacts = {
  kind: 'tool' | 'prompt' | 'resource';
  /** The server's name; empty when the failure concerns no server. */
  server: string;
  /** Why the user does not see the server, and what they can do about it. */
  whyHidden: string;
  /** The page where the user can fix the problem. */
  url: string;
  /** The name in the client's request. */
  name: string;
  /** The holder of credentials for the server, according to its manifest. */
  credentialsOf?: 'user' | 'operator' | 'none' | undefined;
  /** The kind of question that the client cannot answer. */
  asks?: QuestionKind | undefined;
  /** The upstream's error, if the code comes from one. */
  cause?: UpstreamError | undefined;
  retryAfterMs?: number | undefined;
};

export const nothingCharged = 'Nothing was charged.';

export const chargingUnavailable = `This call costs credits, which cannot be charged right now, so it was not sent. Try again in a moment. ${nothingCharged}`;

/** The ability that a client needs to answer each kind of question, in words. */
export const answerWords: Readonly<Record<QuestionKind, string>> = {
  form: 'ask you something (elicitation)',
  url: 'ask you to open a page (URL elicitation)',
  sampling: 'let the server use your model (sampling)',
  roots: 'say which folders it works in (roots)',
};

const texts = {
  unknown: ({ kind, name }) => `Unknown ${kind}: ${name}`,
  undeployed: ({ server, kind }) =>
    `${server} is no longer offered here, so this ${kind} no longer exists. ${nothingCharged} Fetch the list again to see what is available.`,
  not_included: ({ whyHidden }) => whyHidden,
  switched_off: ({ whyHidden }) => whyHidden,
  tool_changed: ({ server }) =>
    `${server} changed this tool since it was approved here. It can be used again once an administrator has approved the change. ${nothingCharged}`,
  needs_task: ({ name }) => `${name} runs only as a task, which this gateway does not support.`,
  client_cannot: ({ asks = 'form' }) =>
    `This tool needs a client that can ${answerWords[asks]}. Yours cannot. ${nothingCharged}`,
  rate_limited: ({ retryAfterMs }) =>
    `Too many calls in the last minute. Try again in ${seconds(retryAfterMs)}. ${nothingCharged}`,
  busy: ({ server, cause, retryAfterMs }) =>
    cause
      ? `${server} is busy with other calls. Try again in ${retryAfterMs === undefined ? 'a moment' : seconds(retryAfterMs)}. ${nothingCharged}`
      : `Too much of your earlier answers is still unread. Read them or close their connections, then try again. ${nothingCharged}`,
  upstream_unavailable: unavailableText,
  timeout: ({ server }) => `${server} did not answer in time. ${nothingCharged}`,
  bad_upstream: ({ server }) => `${server} gave an answer that is not valid MCP. ${nothingCharged}`,
  bad_result: ({ server }) =>
    `${server} answered, but its result is not what this tool declares. ${nothingCharged} Check whether the call took effect before you try again.`,
  result_too_large: ({ server }) => `${server} gave an answer that is too large to pass on. ${nothingCharged}`,
  sign_in_required: signInText,
  storage_full: ({ server, url, cause }) =>
    cause?.kind === 'shared_folder_full'
      ? `${server} is stopped until its administrator has made room for its files. ${nothingCharged} Check whether this call took effect before you try again.`
      : `${server} was stopped: ${cause?.message ?? 'its files take too much space'}. ${nothingCharged} Make your files smaller with its own tools, or delete everything that it stores for you at ${url}. Then try again, and check whether this call took effect.`,
  cancelled: () => 'The call was canceled.',
  stopped: ({ kind }) => stoppedText(kind),
} satisfies Record<string, (facts: FailureFacts) => string>;

/** Why a call has no answer: `souk/code` in the `_meta` of its result and in its usage row. */
export type CallFailureCode = keyof typeof texts;

const codes: Record<Exclude<UpstreamErrorKind, 'protocol'>, CallFailureCode> = {
  unreachable: 'upstream_unavailable',
  closed: 'upstream_unavailable',
  session_lost: 'upstream_unavailable',
  timeout: 'timeout',
  bad_upstream: 'bad_upstream',
  too_many_tools: 'bad_upstream',
  bad_result: 'bad_result',
  refused_address: 'upstream_unavailable',
  restarting: 'upstream_unavailable',
  quarantined: 'upstream_unavailable',
  no_sandbox: 'upstream_unavailable',
  no_network: 'upstream_unavailable',
  not_allowed: 'upstream_unavailable',
  not_set_up: 'upstream_unavailable',
  result_too_large: 'result_too_large',
  sign_in_required: 'sign_in_required',
  folder_full: 'storage_full',
  shared_folder_full: 'storage_full',
  disk_full: 'upstream_unavailable',
  over_limit: 'upstream_unavailable',
  cancelled: 'cancelled',
  busy: 'busy',
};

/** The code for an upstream's failure; undefined for a JSON-RPC error, which is the server's own answer. */
export function failureCode({ kind }: UpstreamError): CallFailureCode | undefined {
  return kind === 'protocol' ? undefined : codes[kind];
}

/** Says what happened and what to do, so that a model can act on it. */
export function failureText(code: CallFailureCode, facts: FailureFacts): string {
  const describe: (facts: FailureFacts) => string = texts[code];
  return describe(facts);
}

export function stoppedText(kind: FailureFacts['kind']): string {
  const again = kind === 'tool' ? 'Call the tool again' : 'Ask for it again';
  return `${stopped.message}, so the question is closed. ${nothingCharged} ${again}; you will be asked again.`;
}

export function stoppedResult(): CallToolResult {
  return failedResult(stoppedText('tool'), { code: 'stopped' });
}

/** Only a user who has an account at the server can sign in; the administrator must fix everything else. */
function signInText({ server, url, credentialsOf }: FailureFacts): string {
  switch (credentialsOf) {
    case 'none':
      return (
        `${server} asks for credentials, and its manifest here names none. Its administrator has to add "auth" to the ` +
        `manifest: "oauth" if users sign in there, "headers" if it takes a key. ${nothingCharged}`
      );
    case 'operator':
      return (
        `${server} refuses the key that this marketplace sends. Its administrator has to enter a valid one on the page of ` +
        `this server. ${nothingCharged}`
      );
    default:
      return `${server} needs your ${server} account. Open ${url} in your browser, sign in, and try again. ${nothingCharged}`;
  }
}

/** The cause decides the advice: wait, check whether the call ran, or ask the administrator. */
function unavailableText({ server, cause, retryAfterMs }: FailureFacts): string {
  const again = `${nothingCharged} Try again in ${seconds(retryAfterMs)}.`;
  switch (cause?.kind) {
    case 'restarting':
      // without a scheduled restart it is starting now, perhaps for the first time
      return `${server} ${retryAfterMs === undefined ? 'is starting' : `ended unexpectedly${lastEnd(cause)} and is starting again`}. ${again}`;
    case 'closed':
      return `${server} ended the connection before it had answered. ${nothingCharged} Check whether the call took effect before you try again.`;
    case 'quarantined':
      return (
        `${server} crashed three times within a minute${lastEnd(cause)} and stays stopped until someone presses Refresh in ` +
        `the marketplace. Its administrator can see why. ${nothingCharged}`
      );
    case 'no_network':
    case 'not_set_up':
      return `${server} cannot be started on this installation yet. Its administrator can see why. ${nothingCharged}`;
    case 'disk_full':
      return `${server} is stopped until its administrator has made room on the disk of this installation. ${nothingCharged}`;
    case 'over_limit':
      return `${server} was stopped: ${cause.message}. ${nothingCharged} Check whether the call took effect, and request less at a time.`;
    case 'no_sandbox':
    case 'not_allowed':
    case 'refused_address':
      return `${server} is set up in a way that is not allowed here. Its administrator can see why. ${nothingCharged}`;
    case 'unreachable':
      if (retryAfterMs === undefined) break;
      return `${server} is paused after repeated failures. ${again}`;
  }
  return `${server} cannot be reached right now. Try again in a moment. ${nothingCharged}`;
}

/** Why a program ended last time, if it was a limit that the caller may have made it reach. */
function lastEnd({ cause }: UpstreamError): string {
  return cause instanceof UpstreamError && cause.kind === 'over_limit' ? ` (${cause.message})` : '';
}

/** Rounds up, to at least 1: with 0 a client would retry immediately. */
export function wholeSeconds(ms: number): number {
  return Math.max(1, Math.ceil(ms / 1000));
}

function seconds(ms = 1000): string {
  const count = wholeSeconds(ms);
  return `${count} ${count === 1 ? 'second' : 'seconds'}`;
}
