// The worker that compares results with the outputSchema of their tool. A server chooses both, and a pattern can keep a
// validator busy for years: a worker can be ended. Of the SDK's two validators, this one does not compile
// schemas to code.
import { parentPort } from 'node:worker_threads';
import type { JsonSchemaType } from '@modelcontextprotocol/client';
import { CfWorkerJsonSchemaValidator } from '@modelcontextprotocol/client/validators/cf-worker';
import type { Comparison, Verdict } from './create-result-validator.ts';

const port = parentPort;
if (!port) throw new Error('validation-worker.ts runs as a worker only');

const provider = new CfWorkerJsonSchemaValidator();

port.on('message', ({ schema, members }: Comparison) => port.postMessage(compare(schema, members)));
port.postMessage('ready');

function compare(schema: string, members: string): Verdict {
  try {
    // why the cast: the schema comes from the server, and the validator throws if it is invalid
    const validate = provider.getValidator(JSON.parse(schema) as JsonSchemaType);
    const { structuredContent }: { structuredContent?: unknown } = JSON.parse(`{${members}}`);
    return { fits: validate(structuredContent).valid };
  } catch (error) {
    return { fits: undefined, reason: String(error) };
  }
}
