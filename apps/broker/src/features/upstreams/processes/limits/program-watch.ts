import type { ProcessGuard } from '#adapters/mcp/transports/process-guard.ts';
import type { FolderSize } from './folder-size.ts';
import type { EndedFor } from './judge-processes.ts';

/** Who is charged for what a program takes: a person with all their programs, or one program that belongs to nobody. */
export type ProgramOwner = {
  key: string;
  /** All folders that count. */
  folders(): Promise<readonly string[]>;
  /** Of a program that people share: its folder within the data folder, in which the operator makes room. */
  sharedFolder?: string | undefined;
};

/** Keeps programs within limits that the kernel has for single processes and files only. */
export type ProgramWatch = {
  /** @param server whose program it is, for the log */
  guardFor(owner: ProgramOwner, server: string): ProcessGuard;
  /** What an owner's files take, in all and by folder; and what they may take. */
  sizeOf(owner: ProgramOwner): Promise<FolderSize>;
  readonly allowedBytes: number;
  /** Files of the owner with this key were deleted. */
  forget(key: string): void;
  /** For the operator: how often a program was ended or not started, by the limit. */
  figures(): Readonly<Record<EndedFor, number>>;
  /** How often all programs were looked at, either way. */
  looks(): Readonly<{ processes: number; files: number }>;
  stop(): void;
};
