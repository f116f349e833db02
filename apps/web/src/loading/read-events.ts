/** Longer than any event: a result of 8 MiB with every character escaped. */
const maxLineCharacters = 64 * 1024 * 1024;

/** Reads a stream of server-sent events with one line of JSON each. Ignores comments and other fields. */
export async function readEvents(stream: ReadableStream<Uint8Array>, onEvent: (event: unknown) => void): Promise<void> {
  const reader = stream.pipeThrough(new TextDecoderStream() as TransformStream<Uint8Array, string>).getReader();
  let line = '';
  for (let chunk = await reader.read(); !chunk.done; chunk = await reader.read()) {
    const lines = chunk.value.split('\n');
    for (const [index, part] of lines.entries()) {
      line += part;
      if (line.length > maxLineCharacters) throw new Error('The answer is too large.');
      // the last part continues in the next chunk
      if (index === lines.length - 1) break;
      if (line.startsWith('data: ')) onEvent(JSON.parse(line.slice('data: '.length)));
      line = '';
    }
  }
}
