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

/** Annotations of a tool that only reads. */
export const reading: ToolAnnotations = { readOnlyHint: true, openWorldHint: false };
/** Annotations of a tool that adds something new each time. */
export const adding: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: false,
  idempotentHint: false,
  openWorldHint: false,
};
/** Annotations of a tool that overwrites or removes, and is idempotent. */
export const changing: ToolAnnotations = {
  readOnlyHint: false,
  destructiveHint: true,
  idempotentHint: true,
  openWorldHint: false,
};

/** A refused call, with the text for the caller. All other errors stay private. */
export class ToolRefusal extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'ToolRefusal';
  }
}

/** Context of a tool call. */
export type ToolCall = {
  /** Pseudonym of the user; undefined if the request names none. */
  subject: string | undefined;
  /**
   * Returns the user whose data the tool works on.
   * @throws ToolRefusal if the request names no user
   */
  requireUser(): string;
  /** Aborts when the client cancels or disconnects. */
  signal: AbortSignal;
  /** Reports progress if the client asked for it. */
  report(done: number, total: number, message: string): Promise<void>;
  /** Waits; rejects with an AbortError if the call is cancelled. */
  pause(durationMs: number): Promise<void>;
};

export type ToolAnswer<Structured> = {
  structured: Structured;
  /** Readable form of `structured`. */
  text: string;
  /** Further content after the text. */
  extra?: ContentBlock[];
};

export type Tool<In extends z.ZodObject, Out extends z.ZodObject> = {
  name: string;
  title: string;
  /** Purpose of the tool, for users and models; the schemas describe its input. */
  description: string;
  input: In;
  output: Out;
  annotations: ToolAnnotations;
  run(input: z.output<In>, call: ToolCall): ToolAnswer<z.input<Out>> | Promise<ToolAnswer<z.input<Out>>>;
};

/** A tool that is created once per process and added to every server object. */
export type ServiceTool = { addTo(server: McpServer, caller: ServiceCaller): void };

/**
 * Defines a tool whose refusals become `isError` results and whose other errors stay private.
 * Call it once per tool: compiling its schemas at their first use costs more than a call.
 */
export function defineTool<In extends z.ZodObject, Out extends z.ZodObject>(tool: Tool<In, Out>): ServiceTool {
  const { name, title, description, annotations, input, output } = tool;
  const config = { title, description, annotations, inputSchema: input, outputSchema: output };
  return {
    addTo(server, caller) {
      server.registerTool<z.ZodObject, z.ZodObject>(name, config, async (args, context): Promise<CallToolResult> => {
        try {
          // The SDK has validated `args`; parsing again restores their type.
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
    requireUser() {
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
