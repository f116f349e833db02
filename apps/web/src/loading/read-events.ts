/** More than the longest event: a result of 8 MiB, with every character escaped. */
const maxLineCharacters = 64 * 1024 * 1024;

/**
 * Reads a stream of server-sent events whose data is one line of JSON each, and tells each of them. Comments and other
 * fields are passed over.
 */
export async function readEvents(stream: ReadableStream<Uint8Array>, tell: (event: unknown) => void): Promise<void> {
  const reader = stream.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let line = '';
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    const lines = chunk.value.split('\n');
    for (const [index, part] of lines.entries()) {
      line += part;
      if (line.length > maxLineCharacters) throw new Error('The answer is too large.');
      // the last part goes on with the next chunk
      if (index === lines.length - 1) break;
      if (line.startsWith('data: ')) tell(JSON.parse(line.slice('data: '.length)));
      line = '';
    }
  }
}
