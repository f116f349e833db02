import type { ProcessGuard } from '#adapters/mcp/transports/process-guard.ts';
import type { FolderSize } from './folder-size.ts';
import type { EndedFor } from './judge-processes.ts';

/** Owner of a program's memory and disk space: a user for all their programs, or a shared program for itself. */
export type ProgramOwner = {
  key: string;
  /** Lists all folders that count. */
  folders(): Promise<readonly string[]>;
  /** Folder of a shared program in the data folder, where the operator can delete files. */
  sharedFolder?: string | undefined;
};

/** Keeps programs within limits that the kernel has only for single processes and files. */
export type ProgramWatch = {
  /** @param server the program's server, for the log */
  guardFor(owner: ProgramOwner, server: string): ProcessGuard;
  /** Returns the size of an owner's files, in total and by folder. */
  sizeOf(owner: ProgramOwner): Promise<FolderSize>;
  /** Quota of an owner's files. */
  readonly allowedBytes: number;
  /** Discards the cached size of an owner after files were deleted. */
  forget(key: string): void;
  /** Returns the numbers of programs that were ended or not started, by limit. */
  figures(): Readonly<Record<EndedFor, number>>;
  /** Returns the numbers of completed checks of all programs' processes and files. */
  looks(): Readonly<{ processes: number; files: number }>;
  stop(): void;
};
