import { setTimeout as sleep } from 'node:timers/promises';
import type {
  CallToolResult,
  ContentBlock,
  McpServer,
  ServerContext,
  ToolAnnotations,
} from '@modelcontextprotocol/server';
import type * as z from 'zod';
import type { ServiceCaller } from './request-gate.ts';

/** Only reads. */
export const reading: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
/** Adds something new each time. */
export const adding: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};
/** Overwrites or removes; the same call again changes nothing more. */
export const changing: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
};

/** A call that cannot be served, with the text that its caller reads. Everything else thrown stays private. */
export class ToolRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ToolRefusal';
  }
}

/** What a tool may do besides reading its input. */
export type ToolCall = {
  /** The pseudonym of the caller; undefined without one. */
  subject: string | undefined;
  /**
   * The person whose data the tool works on.
   * @throws ToolRefusal when the connection names no person.
   */
  person(): string;
  /** Aborts when the client cancels or disconnects. */
  signal: AbortSignal;
  /** Tells the client how far the work is, when it asked to know. */
  report(done: number, total: number, message: string): Promise<void>;
  /** Waits. Rejects with an AbortError when the call is cancelled. */
  pause(durationMs: number): Promise<void>;
};

export type ToolAnswer<Structured> = {
  structured: Structured;
  /** The same as text to read. */
  text: string;
  /** More content after the text. */
  extra?: ContentBlock[];
};

export type Tool<In extends z.ZodObject, Out extends z.ZodObject> = {
  name: string;
  title: string;
  /** What it does, for people and models. The schemas say what it needs. */
  description: string;
  input: In;
  output: Out;
  annotations: ToolAnnotations;
  run(input: z.output<In>, call: ToolCall): ToolAnswer<z.input<Out>> | Promise<ToolAnswer<z.input<Out>>>;
};

/** A tool that is made once in a process and added to every server object. */
export type ServiceTool = { addTo(server: McpServer, caller: ServiceCaller): void };

/**
 * Makes a tool whose refusals become `isError` answers and whose other errors stay private.
 * Call it once for each tool: its schemas compile at their first use, which costs more than a call.
 */
export function defineTool<In extends z.ZodObject, Out extends z.ZodObject>(tool: Tool<In, Out>): ServiceTool {
  const { name, title, description, annotations, input, output } = tool;
  const config = { title, description, annotations, inputSchema: input, outputSchema: output };
  return {
    addTo(server, caller) {
      server.registerTool<z.ZodObject, z.ZodObject>(name, config, async (args, context): Promise<CallToolResult> => {
        try {
          // The SDK parsed `args` with `input` already; parsing again gives them their type back.
          const answer = await tool.run(input.parse(args), toolCall(name, caller, context));
          return {
            content: [{ type: 'text', text: answer.text }, ...(answer.extra ?? [])],
            structuredContent: answer.structured,
          };
        } catch (error) {
          if (context.mcpReq.signal.aborted) throw error;
          if (error instanceof ToolRefusal) return refused(error.message);
          process.stderr.write(`${name} failed: ${error instanceof Error ? error.name : 'unknown'}\n`);
          return refused('The service could not finish this call.');
        }
      });
    },
  };
}

function refused(text: string): CallToolResult {
  return { isError: true, content: [{ type: 'text', text }] };
}

function toolCall(name: string, { subject }: ServiceCaller, context: ServerContext): ToolCall {
  const { signal, _meta: meta } = context.mcpReq;
  const progressToken = meta?.progressToken;
  return {
    subject,
    person() {
      if (subject === undefined) throw new ToolRefusal(`${name} requires a signed-in user.`);
      return subject;
    },
    signal,
    async report(progress, total, message) {
      if (progressToken === undefined) return;
      const params = { progressToken, progress, total, message };
      await context.mcpReq.notify({ method: 'notifications/progress', params });
    },
    async pause(durationMs) {
      await sleep(durationMs, undefined, { signal });
    },
  };
}
