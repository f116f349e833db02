import type { UpstreamError } from '../upstream-error.ts';

export type GuardedProcess = {
  pid: number;
  /** Kills its group immediately. Its open calls fail with this reason. */
  end(reason: UpstreamError): void;
};

/** Judges a program before each start and while it runs. */
export type ProcessGuard = {
  /** @throws UpstreamError if the program may not start now */
  admit(): Promise<void>;
  /** Called right before the start. @returns what to put before its command. @throws UpstreamError */
  enter(): readonly string[];
  /**
   * Called right after the start. @param process undefined if it could not be started
   * @returns a function to call once the process has ended, which says why if that is known
   */
  watch(process: GuardedProcess | undefined): () => UpstreamError | undefined;
};
