import { createHash } from 'node:crypto';
import { elapsedTime, type Clock } from '#platform/clock.ts';
import type { CallRequest } from './call-request.ts';

const rememberMs = 24 * 60 * 60_000;
const maxClients = 10_000;
const maxQuestions = 16;
const maxNameCharacters = 100;

export type PageQuestions = ReturnType<typeof createPageQuestions>;

type Asked = {
  sinceMs: number;
  questions: Set<string>;
  isIgnored: boolean;
  /** Whether the client has answered once. From then on, an unanswered question is the user's choice, not a client fault. */
  answers: boolean;
};

/**
 * Remembers for a day, in this process, which clients of 2026-07-28 were asked to open a page and did not answer: they get
 * the URL in a text instead. A client has not answered if it repeats the call without an answer, or if the question expired.
 * @param ttlMs how long a question can be answered
 */
export function createPageQuestions({ clock, ttlMs }: { clock: Clock; ttlMs: number }) {
  const time = elapsedTime(clock);
  const clients = new Map<string, Asked>();

  function remember(key: string, asked: Asked): void {
    clients.delete(key);
    clients.set(key, asked);
    const [oldest] = clients.size > maxClients ? clients.keys() : [];
    if (oldest !== undefined) clients.delete(oldest);
  }

  return {
    mayAsk(request: CallRequest<object>): boolean {
      const key = clientOf(request);
      const known = clients.get(key);
      if (!known || known.answers) return true;
      const ageMs = time.now() - known.sinceMs;
      if (ageMs >= rememberMs) return clients.delete(key);
      known.isIgnored ||= ageMs >= ttlMs || known.questions.has(questionOf(request));
      return !known.isIgnored;
    },
    asked(request: CallRequest<object>): void {
      const key = clientOf(request);
      const known = clients.get(key);
      if (known?.answers) return;
      const asked = known ?? { sinceMs: time.now(), questions: new Set(), isIgnored: false, answers: false };
      if (asked.questions.size < maxQuestions) asked.questions.add(questionOf(request));
      remember(key, asked);
    },
    answered(request: CallRequest<object>): void {
      remember(clientOf(request), { sinceMs: time.now(), questions: new Set(), isIgnored: false, answers: true });
    },
  };
}

function clientOf({ context: { caller, clientInfo } }: CallRequest<object>): string {
  const { name = '', version = '' } = clientInfo ?? {};
  return `${caller.tokenId} ${`${name} ${version}`.slice(0, maxNameCharacters)}`;
}

/** A hash of the call, without what a later round adds. */
function questionOf({ context, params }: CallRequest<{ name?: string; uri?: string; arguments?: unknown }>): string {
  const call = [context.serverId, params.name ?? params.uri, params.arguments];
  return createHash('sha256').update(JSON.stringify(call)).digest('base64url');
}
