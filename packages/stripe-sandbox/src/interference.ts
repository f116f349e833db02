import type { SandboxEvent } from './objects/types.ts';

/** Where a write fails: before it is processed, after, by refusing it, or with a lock error, which no idempotency key keeps. */
export type Failure = 'before' | 'after' | 'refused' | 'locked';

/** Hooks of tests into requests and webhooks. */
export type Interference = {
  /** Awaited when a request to the API has arrived, before it is processed, even if its client has disconnected. */
  beforeWork(method: string, path: string): Promise<void> | void;
  /** Awaited when a request to the API has been processed, before its answer is sent. */
  beforeAnswer(method: string, path: string): Promise<void> | void;
  /** Returns whether and where this write fails. */
  failAt(method: string, path: string): Failure | undefined;
  /** Called for each webhook attempt; false: it is lost. */
  mayPass(event: SandboxEvent): boolean | Promise<boolean>;
  /** Orders the webhooks that are due together. */
  order<Item>(items: Item[]): Item[];
  /** Number of times that each webhook is sent. */
  copies: number;
  /** Milliseconds by which the sandbox's clock is ahead of the application's. */
  skewMs: number;
  /** Refuses a concurrent write to the same object with 429 instead of letting it wait. */
  locksObjects: boolean;
};

export const noInterference = (): Interference => ({
  beforeWork: () => {},
  beforeAnswer: () => {},
  failAt: () => undefined,
  mayPass: () => true,
  order: (items) => items,
  copies: 1,
  skewMs: 0,
  locksObjects: false,
});
