import type { SandboxEvent } from './objects/types.ts';

/** How a write fails: before or after it is processed, by a refusal, or with a lock error. Lock errors are not replayed. */
export type Failure = 'before' | 'after' | 'refused' | 'locked';

/** Hooks by which tests change how requests and webhooks are processed. */
export type Interference = {
  /** Awaited when a request to the API has arrived, before it is processed, even if its client has disconnected. */
  beforeWork(method: string, path: string): Promise<void> | void;
  /** Awaited when a request to the API has been processed, before its answer is sent. */
  beforeAnswer(method: string, path: string): Promise<void> | void;
  /** Returns how this write fails; undefined: it succeeds. */
  failAt(method: string, path: string): Failure | undefined;
  /** Returns whether a webhook attempt is sent; otherwise it is lost. */
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
