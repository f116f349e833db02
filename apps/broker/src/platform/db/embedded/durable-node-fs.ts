import { fsyncSync } from 'node:fs';
import type { PGlite } from '@electric-sql/pglite';
import { NodeFS } from '@electric-sql/pglite/nodefs';
import { asRecord } from '../../json.ts';
import { syncPathNow } from '../../sync-path.ts';

type EmscriptenOptions = Awaited<ReturnType<NodeFS['init']>>['emscriptenOpts'];

/** The part of Emscripten's NODEFS that we use, as in PGlite 0.5.16, which is pinned for this. */
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
 * PGlite's NodeFS with an fsync that reaches the disk. Emscripten's own NODEFS has none: a commit would only be in the page
 * cache, safe from kill -9 but lost in a power failure. PostgreSQL only calls it when started without -F and with
 * wal_sync_method=fsync (fdatasync has no hook in Emscripten).
 */
export class DurableNodeFs extends NodeFS {
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
        // PostgreSQL panics on this, as it should: the page cache may now differ from the disk.
        throw Object.assign(new FS.ErrnoError(ioErrno), { cause });
      }
      this.fsyncCount += 1;
      return 0;
    };
    NODEFS.stream_ops.write = waitingForSpace(NODEFS);
  }
}

/**
 * Makes writes to PostgreSQL's log wait for space, since a failed one is a panic in which PGlite spins forever. This is the
 * last resort: the worker refuses writing statements earlier. Writes to other files may fail, as errors of their statement.
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
