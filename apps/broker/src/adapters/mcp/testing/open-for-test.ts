import { fileURLToPath } from 'node:url';
import { createLog } from '#platform/log.ts';
import { openUpstream } from '../connect/open-upstream.ts';
import type { OpenOptions } from '../connect/open-options.ts';
import { NoticeLimits } from '../notices/notice-limits.ts';
import type { UpstreamTarget } from '../target.ts';
import type { ToolAnswer, ToolCallOptions, Upstream } from '../upstream.ts';
import { UpstreamError } from '../upstream-error.ts';

/** A timeout that no passing test comes near. */
const hangMs = 600_000;

/** Upstreams that the tests of one file opened. */
export type OpenedUpstreams = {
  open(target: UpstreamTarget, options?: Partial<OpenOptions>): Promise<Upstream>;
  closeAll(): Promise<void>;
};

export function trackUpstreams(): OpenedUpstreams {
  const opened: Upstream[] = [];
  return {
    async open(target, options = {}) {
      const upstream = await openUpstream(target, {
        connectTimeoutMs: hangMs,
        listTimeoutMs: hangMs,
        maxResultBytes: 1024 * 1024,
        log: createLog('silent'),
        notices: new NoticeLimits().ofServer('tested'),
        ...options,
      });
      opened.push(upstream);
      return upstream;
    },
    async closeAll() {
      await Promise.all(opened.splice(0).map((upstream) => upstream.close()));
    },
  };
}

export function callOptions(options: Partial<ToolCallOptions> = {}): ToolCallOptions {
  return { signal: new AbortController().signal, timeoutMs: hangMs, totalTimeoutMs: hangMs, ...options };
}

/**
 * Ways to send a tool call over HTTP: on the fast path, or by the SDK's client, which can mirror arguments in headers.
 */
export const ways = ['fast', 'sdk'] as const;
export type Way = (typeof ways)[number];

const region = { type: 'string', 'x-mcp-header': 'Region' };
const mirroring = { name: 'any', inputSchema: { type: 'object' as const, properties: { region } } };

/** Returns the callOptions for a call that is sent this way. */
export function optionsFor(way: Way): typeof callOptions {
  return (options = {}) => callOptions({ ...(way === 'sdk' && { toolDefinition: mirroring }), ...options });
}

/** Returns the UpstreamError that the promise must reject with. */
export async function failureOf(promise: Promise<unknown>): Promise<UpstreamError> {
  try {
    await promise;
  } catch (error) {
    if (error instanceof UpstreamError) return error;
    throw error;
  }
  throw new Error('the promise did not reject');
}

/** Returns a program of the repository as a stdio target, without this process's environment. */
export function stdioTarget(program: string, ...args: string[]): UpstreamTarget & { type: 'stdio' } {
  const path = fileURLToPath(new URL(`../../../../../../${program}`, import.meta.url));
  return { type: 'stdio', argv: [process.execPath, path, ...args], cwd: '/', env: {} };
}

export function textOf(answer: ToolAnswer | object): string {
  const result = 'toResult' in answer ? answer.toResult() : answer;
  const content: unknown = 'content' in result ? result.content : undefined;
  const first: unknown = Array.isArray(content) ? content[0] : undefined;
  return first !== null && typeof first === 'object' && 'text' in first ? String(first.text) : '';
}
