import { asText, records, type Dialect } from './model.ts';
import { asRecord } from '../../apps/broker/src/platform/json.ts';

/** The API of POST /v1beta/models/…:generateContent and :streamGenerateContent. */
export const gemini: Dialect = {
  read(path, body) {
    if (!/generateContent/i.test(path)) return undefined;
    const tools = records(body['tools']).flatMap((tool) =>
      records(tool['functionDeclarations']).map(({ name }) => ({ name: String(name) })),
    );
    const parts = records(body['contents']).flatMap(({ parts }) => records(parts));
    return {
      tools,
      results: parts.flatMap((part) => {
        const given = asRecord(part['functionResponse']);
        return given ? [asText(given['response'])] : [];
      }),
      main: tools.length > 1 && /stream/i.test(path),
    };
  },
  begin(path, _, answer) {
    answer.writeHead(200, { 'content-type': isStream(path) ? 'text/event-stream' : 'application/json' });
  },
  finish(path, body, answer, move) {
    const part =
      move === 'end'
        ? { text: body['tools'] === undefined ? '{"next_speaker":"user","reasoning":"done"}' : 'Done.' }
        : { functionCall: { name: move.tool.name, args: move.args } };
    const text = JSON.stringify({
      candidates: [{ content: { role: 'model', parts: [part] }, finishReason: 'STOP', index: 0 }],
      usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1, totalTokenCount: 2 },
      modelVersion: 'told',
    });
    answer.end(isStream(path) ? `data: ${text}\r\n\r\n` : text);
  },
  other: () => ({ totalTokens: 1 }),
};

const isStream = (path: string) => /stream/i.test(path);
