import { asRecord } from '../apps/broker/src/platform/json.ts';
import { createHmac, timingSafeEqual } from 'node:crypto';
import {
  CLIENT_CAPABILITIES_META_KEY,
  inputRequired,
  ProtocolError,
  type CallToolResult,
  type InputRequiredResult,
  type InputRequest,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { text } from './fixture-content.ts';

/** Tools of 2026-07-28 that need input from the client before they can answer (SEP-2322). */
type InputTool = (context: ServerContext) => CallToolResult | InputRequiredResult;

const key = 'the key of a fixture protects nothing';
const sign = (state: string) => `${state}.${createHmac('sha256', key).update(state).digest('base64url')}`;

function verify(context: ServerContext): string | undefined {
  const given = context.mcpReq.requestState<string>();
  if (given === undefined) return undefined;
  const state = given.slice(0, given.lastIndexOf('.'));
  const [a, b] = [Buffer.from(sign(state)), Buffer.from(given)];
  if (a.length !== b.length || !timingSafeEqual(a, b)) throw new ProtocolError(-32602, 'requestState was altered');
  return state;
}

const ask = (message: string, field: string) =>
  inputRequired.elicit({
    message,
    requestedSchema: { type: 'object', properties: { [field]: { type: 'string' } }, required: [field] },
  });
const confirm = inputRequired.elicit({
  message: 'Please confirm',
  requestedSchema: { type: 'object', properties: { ok: { type: 'boolean' } }, required: ['ok'] },
});
const sample = (question: string, maxTokens: number) =>
  inputRequired.createMessage({
    messages: [{ role: 'user', content: { type: 'text', text: question } }],
    maxTokens,
  });

function responsesOf(context: ServerContext): Record<string, unknown> {
  return context.mcpReq.inputResponses ?? {};
}

/** Asks for missing or invalid input, and answers when everything is valid. */
function once(requests: Record<string, InputRequest>, done: (responses: Record<string, unknown>) => string): InputTool {
  return (context) => {
    const responses = responsesOf(context);
    const isThere = Object.entries(requests).every(([name, request]) => isAnswer(request, responses[name]));
    return isThere ? text(done(responses)) : inputRequired({ inputRequests: requests });
  };
}

/** Does the same with a signed state that the client must return unchanged. */
function withState(requests: Record<string, InputRequest>, done: string): InputTool {
  return (context) => {
    const state = verify(context);
    const responses = responsesOf(context);
    const isThere = Object.keys(requests).every((name) => name in responses);
    return state === 'asked' && isThere
      ? text(done)
      : inputRequired({ inputRequests: requests, requestState: sign('asked') });
  };
}

function isAnswer(request: InputRequest, response: unknown): boolean {
  if (typeof response !== 'object' || response === null) return false;
  if (request.method !== 'elicitation/create') return true;
  return 'action' in response && typeof response.action === 'string';
}

function contentOf(response: unknown): string {
  const answer = asRecord(response);
  return answer && 'content' in answer ? JSON.stringify(answer['content']) : '';
}

const multiRound: InputTool = (context) => {
  const responses = responsesOf(context);
  switch (verify(context)) {
    case 'round-1':
      if (!('step1' in responses)) break;
      return inputRequired({
        inputRequests: { step2: ask('Step 2: What is your favorite color?', 'color') },
        requestState: sign('round-2'),
      });
    case 'round-2':
      if ('step2' in responses) return text('Both steps are done.');
  }
  return inputRequired({
    inputRequests: { step1: ask('Step 1: What is your name?', 'name') },
    requestState: sign('round-1'),
  });
};

/** Asks only for input that this client supports. */
const byCapabilities: InputTool = (context) => {
  if (Object.keys(responsesOf(context)).length > 0) return text('Thank you.');
  const envelope: Record<string, unknown> = { ...context.mcpReq.envelope };
  const declared = asRecord(envelope[CLIENT_CAPABILITIES_META_KEY]) ?? {};
  const can = (name: string) => name in declared;
  return inputRequired({
    inputRequests: {
      ...(can('sampling') && { sampled: sample('Say something.', 50) }),
      ...(can('elicitation') && { asked: ask('Say something.', 'words') }),
      ...(can('roots') && { roots: inputRequired.listRoots() }),
    },
  });
};

export const namePrompt = { user_context: ask('What context should the prompt use?', 'context') };

export const inputTools: Record<string, InputTool> = {
  test_input_required_result_elicitation: once(
    { user_name: ask('What is your name?', 'name') },
    ({ user_name: name }) => `Hello, ${contentOf(name)}!`,
  ),
  test_input_required_result_sampling: once(
    { capital_question: sample('What is the capital of France?', 100) },
    ({ capital_question: answer }) => contentOf(answer),
  ),
  test_input_required_result_list_roots: once({ client_roots: inputRequired.listRoots() }, ({ client_roots: roots }) =>
    JSON.stringify(roots),
  ),
  test_input_required_result_request_state: withState({ confirm }, 'state-ok'),
  test_input_required_result_tampered_state: withState({ confirm }, 'state-ok'),
  test_input_required_result_multiple_inputs: withState(
    {
      user_name: ask('What is your name?', 'name'),
      greeting: sample('Generate a greeting', 50),
      client_roots: inputRequired.listRoots(),
    },
    'Everything is there.',
  ),
  test_input_required_result_multi_round: multiRound,
  test_input_required_result_capabilities: byCapabilities,
  // the SDK refuses it with -32021 for a client without sampling (SEP-2575)
  test_missing_capability: once({ sampled: sample('Say something.', 50) }, () => 'sampled'),
  test_streaming_elicitation: once({ asked: ask('Say something.', 'words') }, () => 'asked'),
};
