import { request, type Dispatcher } from 'undici';
import { codeOrName } from '#platform/thrown.ts';

const timeoutMs = 4_000;
/** How long a proxy may delay the first event of a stream that stays open. */
const firstEventMs = 3_000;
const maxBodyBytes = 256 * 1024;

export type DoctorAnswer = {
  status: number;
  /** The first value of a header, by its lower-case name. */
  header(name: string): string | undefined;
  text: string;
  /** The parsed body; undefined if it is not JSON. */
  json: unknown;
};

/** There was no answer. `code` is Node's or undici's. */
export class NoAnswerError extends Error {
  readonly code: string;
  constructor(code: string, cause: unknown) {
    super(`no answer: ${code}`, { cause });
    this.name = 'NoAnswerError';
    this.code = code;
  }
}

type DoctorRequest = { method?: 'GET' | 'POST' | 'DELETE'; headers?: Record<string, string>; body?: string };

export type DoctorHttp = ReturnType<typeof createDoctorHttp>;

/**
 * Sends requests to one origin only: it follows no redirects and requests no URL from a document. Each request has a deadline
 * and a size limit.
 */
export function createDoctorHttp(origin: string, dispatcher?: Dispatcher) {
  async function open(path: string, { method = 'GET', headers = {}, body }: DoctorRequest, signal: AbortSignal) {
    try {
      return await request(new URL(path, origin), {
        method,
        headers: { accept: 'application/json', ...headers },
        signal,
        // one socket per request: a proxy's late answer must not be read as that of the next request
        reset: true,
        ...(body !== undefined && { body }),
        ...(dispatcher && { dispatcher }),
      });
    } catch (error) {
      throw new NoAnswerError(codeOf(error), error);
    }
  }

  return {
    /** @throws NoAnswerError */
    async send(path: string, options: DoctorRequest = {}): Promise<DoctorAnswer> {
      const answer = await open(path, options, AbortSignal.timeout(timeoutMs));
      answer.body.on('error', () => {});
      const text = await readBounded(answer.body);
      return { status: answer.statusCode, header: headerOf(answer.headers), text, json: parse(text) };
    },

    /** Returns the first piece of an answer that stays open; undefined if none came in time. @throws NoAnswerError */
    async firstPiece(path: string, options: DoctorRequest): Promise<DoctorAnswer | undefined> {
      const controller = new AbortController();
      const timer = setTimeout(() => controller.abort(), firstEventMs);
      try {
        const answer = await open(path, options, controller.signal);
        answer.body.on('error', () => {});
        for await (const piece of answer.body) {
          const text = String(piece);
          return { status: answer.statusCode, header: headerOf(answer.headers), text, json: parse(text) };
        }
        return undefined;
      } catch (error) {
        if (controller.signal.aborted) return undefined;
        throw error instanceof NoAnswerError ? error : new NoAnswerError(codeOf(error), error);
      } finally {
        clearTimeout(timer);
        controller.abort();
      }
    },
  };
}

async function readBounded(body: AsyncIterable<Buffer> & { destroy(): unknown }): Promise<string> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  try {
    for await (const chunk of body) {
      bytes += chunk.length;
      chunks.push(chunk);
      if (bytes > maxBodyBytes) {
        body.destroy();
        break;
      }
    }
  } catch (error) {
    throw new NoAnswerError(codeOf(error), error);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function headerOf(headers: Record<string, string | string[] | undefined>): DoctorAnswer['header'] {
  return (name) => {
    const value = headers[name];
    return Array.isArray(value) ? value[0] : value;
  };
}

/** A JSON body, or the first message of an event stream. */
function parse(text: string): unknown {
  const json =
    text
      .split('\n')
      .find((line) => line.startsWith('data: {'))
      ?.slice(6) ?? text;
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}

function codeOf(error: unknown): string {
  const hasTimedOut = error instanceof Error && (error.name === 'TimeoutError' || error.name === 'AbortError');
  return hasTimedOut ? 'TIMEOUT' : codeOrName(error);
}
