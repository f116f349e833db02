import type { CallToolResult, ElicitRequestFormParams, ServerContext } from '@modelcontextprotocol/server';
import { text } from './fixture-content.ts';

/** Tools up to 2025-11-25 that ask the client during a call, and tools that report progress. */
type AskingTool = (context: ServerContext, given: Record<string, unknown>) => Promise<CallToolResult>;

const stepMs = 50;
const pause = () => new Promise<void>((resolve) => setTimeout(resolve, stepMs));

const elicit = async (
  context: ServerContext,
  message: string,
  requestedSchema: ElicitRequestFormParams['requestedSchema'],
  say: (action: string, content: string) => string,
) => {
  const answer = await context.mcpReq.elicitInput({ message, requestedSchema });
  return text(say(answer.action, JSON.stringify(answer.content ?? {})));
};
const completed = (action: string, content: string) => `Elicitation completed: action=${action}, content=${content}`;

export const askingTools: Record<string, AskingTool> = {
  async test_sampling(context, { prompt }) {
    const answer = await context.mcpReq.requestSampling({
      messages: [{ role: 'user', content: { type: 'text', text: String(prompt) } }],
      maxTokens: 100,
    });
    const { content } = answer;
    return text(`LLM response: ${'text' in content ? content.text : JSON.stringify(content)}`);
  },
  test_elicitation: (context, { message }) =>
    elicit(
      context,
      String(message),
      {
        type: 'object',
        properties: {
          username: { type: 'string', description: "User's response" },
          email: { type: 'string', description: "User's email address" },
        },
        required: ['username', 'email'],
      },
      (action, content) => `User response: action: ${action}, content: ${content}`,
    ),
  test_elicitation_sep1034_defaults: (context) =>
    elicit(
      context,
      'Please review these values',
      {
        type: 'object',
        properties: {
          name: { type: 'string', default: 'John Doe' },
          age: { type: 'integer', default: 30 },
          score: { type: 'number', default: 95.5 },
          status: { type: 'string', enum: ['active', 'inactive', 'pending'], default: 'active' },
          verified: { type: 'boolean', default: true },
        },
      },
      completed,
    ),
  test_elicitation_sep1330_enums: (context) =>
    elicit(
      context,
      'Please choose',
      {
        type: 'object',
        properties: {
          untitledSingle: { type: 'string', enum: ['option1', 'option2', 'option3'] },
          titledSingle: { type: 'string', oneOf: titled('Option') },
          legacyEnum: {
            type: 'string',
            enum: ['opt1', 'opt2', 'opt3'],
            enumNames: ['Option One', 'Option Two', 'Option Three'],
          },
          untitledMulti: { type: 'array', items: { type: 'string', enum: ['option1', 'option2', 'option3'] } },
          titledMulti: { type: 'array', items: { anyOf: titled('Choice') } },
        },
      },
      completed,
    ),
};

function titled(noun: string): { const: string; title: string }[] {
  return ['First', 'Second', 'Third'].map((word, index) => ({ const: `value${index + 1}`, title: `${word} ${noun}` }));
}

export const reportingTools: Record<string, AskingTool> = {
  async test_tool_with_logging(context) {
    await context.mcpReq.log('info', 'Tool execution started');
    await pause();
    await context.mcpReq.log('info', 'Tool processing data');
    await pause();
    await context.mcpReq.log('info', 'Tool execution completed');
    return text('Three messages were logged.');
  },
  async test_logging_tool(context) {
    await context.mcpReq.log('info', 'only for those who asked');
    return text('One message was logged.');
  },
  async test_tool_with_progress(context) {
    const { _meta: meta } = context.mcpReq;
    for (const progress of [0, 50, 100]) {
      if (meta?.progressToken !== undefined) {
        await context.mcpReq.notify({
          method: 'notifications/progress',
          params: { progressToken: meta.progressToken, progress, total: 100 },
        });
      }
      await pause();
    }
    return text('All steps are done.');
  },
  async test_reconnection(context) {
    context.http?.closeSSE?.();
    await pause();
    return text('The stream was closed and taken up again.');
  },
};
