import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

/** Returns the bytes that values and buffers of this process take after a full garbage collection. */
export function keptMemory(): { heap: number; buffers: number } {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return { heap: heapUsed, buffers: external };
}
