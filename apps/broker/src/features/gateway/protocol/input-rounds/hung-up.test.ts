import { expect, test } from 'vitest';
import type { ServerContext } from '@modelcontextprotocol/server';
import { systemClock } from '#platform/clock.ts';
import type { CallRequest } from '../../call/call-request.ts';
import { createOpenQuestions } from '../../call/open-questions.ts';
import { createInputRounds } from './create-input-rounds.ts';

// Here both happen in one turn of the event loop, which a real client and server cannot be forced to do.
test('a call whose question comes while its client disconnects takes no slot', async () => {
  let underWay = 0;
  const rounds = createInputRounds({
    key: new Uint8Array(32),
    clock: systemClock,
    underWay: {
      enter() {
        underWay++;
        return () => void underWay--;
      },
    },
    pages: { answered() {} },
    questions: createOpenQuestions(),
    elsewhere: undefined,
  });
  const client = new AbortController();
  const request = {
    params: { name: 'ask' },
    context: { caller: { userId: crypto.randomUUID() } },
    clientCapabilities: { elicitation: {} },
    logical: { id: 'call' },
    signal: client.signal,
    listening: () => 'ready',
  } as unknown as CallRequest<{ name: string }>;
  const sdk = { mcpReq: { method: 'tools/call' } } as unknown as ServerContext;
  const ended = Promise.withResolvers<void>();
  const answer = rounds.run(request, sdk, async ({ onAsk, signal }) => {
    signal.addEventListener('abort', () => ended.resolve());
    await Promise.resolve();
    const ask = { method: 'elicitation/create', params: { message: 'Who?' } } as const;
    const asked = onAsk?.(ask as never, signal);
    client.abort();
    return { ...(await asked) };
  });
  await expect(answer).rejects.toThrow('The client has gone');
  await ended.promise;
  expect(underWay).toBe(0);
  await rounds.stop();
});
