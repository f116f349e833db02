import type { UpstreamError } from '../upstream-error.ts';

/** A process that runs, and how to end it. */
export type GuardedProcess = {
  pid: number;
  /** Kills its group at once; its open calls fail with this reason. */
  end(reason: UpstreamError): void;
};

/** Judges a program before each start and while it runs. */
export type ProcessGuard = {
  /** @throws UpstreamError why it may not start now */
  admit(): Promise<void>;
  /**
   * Right before the start. @returns what stands before its command
   * @throws UpstreamError
   */
  enter(): readonly string[];
  /**
   * Right after it. @param process undefined where it could not be started
   * @returns what to call once the process has ended, which says why where that is known
   */
  watch(process: GuardedProcess | undefined): () => UpstreamError | undefined;
};
