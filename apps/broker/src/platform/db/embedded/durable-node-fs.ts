import { fsyncSync } from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { asRecord } from '../../json.ts';
import { syncPathNow } from '../../sync-path.ts';

type EmscriptenOptions = Awaited<ReturnType<NodeFS['init']>>['emscriptenOpts'];

/** The part of Emscripten's NODEFS that we use. Checked against PGlite 0.5.16, which is pinned for this. */
type NodeFsStream = { nfd?: number; node: object };
type Write = (stream: NodeFsStream, ...rest: unknown[]) => number;
type NodeFsBackend = {
  realPath(node: object): string;
  stream_ops: { fsync?: (stream: NodeFsStream) => number; write: Write };
};
type EmscriptenModule = { NODEFS: NodeFsBackend; FS: { ErrnoError: new (errno: number) => Error } };

const ioErrno = 29; // EIO as Emscripten numbers it
const noSpaceErrno = 51; // ENOSPC
const spaceRetryMs = 250;

/**
 * PGlite's NodeFS with an fsync that reaches the disk. Emscripten's own NODEFS has none, so that a commit would only be in
 * the page cache: safe from kill -9, lost with the power. PostgreSQL has to be started without -F and with
 * wal_sync_method=fsync (fdatasync has no hook in Emscripten) for this to be called.
 */
export class DurableNodeFs extends NodeFS {
  /** fsyncs that reached the disk since the start. */
  fsyncCount = 0;

  override async init(pg: PGlite, options: EmscriptenOptions): Promise<{ emscriptenOpts: EmscriptenOptions }> {
    const { emscriptenOpts } = await super.init(pg, options);
    const preRun = emscriptenOpts.preRun ?? [];
    return { emscriptenOpts: { ...emscriptenOpts, preRun: [...preRun, (module) => this.hook(module)] } };
  }

  private hook({ NODEFS, FS }: EmscriptenModule): void {
    NODEFS.stream_ops.fsync = (stream) => {
      try {
        // Emscripten has no descriptors of folders
        if (stream.nfd === undefined) syncPathNow(NODEFS.realPath(stream.node));
        else fsyncSync(stream.nfd);
      } catch (cause) {
        // PostgreSQL panics on this, as it should: after a failed fsync the page cache may differ from the disk.
        throw Object.assign(new FS.ErrnoError(ioErrno), { cause });
      }
      this.fsyncCount += 1;
      return 0;
    };
    NODEFS.stream_ops.write = waitingForSpace(NODEFS);
  }
}

/**
 * A write to PostgreSQL's log waits for space: a failed one is a panic, in which PGlite spins for ever. The last resort, since
 * the worker refuses statements that write before it comes to this. Other files may fail: that is an error of the statement.
 */
function waitingForSpace({ realPath, stream_ops }: NodeFsBackend): Write {
  const { write } = stream_ops;
  const never = new Int32Array(new SharedArrayBuffer(4));
  return (...given) => {
    for (;;) {
      try {
        return write(...given);
      } catch (error) {
        if (asRecord(error)?.['errno'] !== noSpaceErrno || !realPath(given[0].node).includes('/pg_wal/')) throw error;
        Atomics.wait(never, 0, 0, spaceRetryMs);
      }
    }
  };
}
