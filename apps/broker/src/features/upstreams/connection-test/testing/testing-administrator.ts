import { connectionTestEventSchema, type ConnectionTestEvent } from '@souk/contract/admin/servers.ts';
import { openStream } from '#testing/people/open-stream.ts';
import { ScriptedBrowser } from '#testing/people/scripted-browser.ts';

type Step = Extract<ConnectionTestEvent, { type: 'step' }>;

/** Reports of a test, in order. */
export type ToldTest = {
  events: ConnectionTestEvent[];
  /** Steps that ran, as `step result`. */
  steps: string[];
  step(name: Step['step']): Step | undefined;
  end: Extract<ConnectionTestEvent, { type: 'end' }> | undefined;
  findings: string[];
};

/** Returns a manifest of a test's server, as text. */
export function manifestText(manifest: { id: string } & Record<string, unknown>): string {
  const defaults = { name: manifest.id, serviceType: 'mcp', version: '1.0.0', description: 'A server of a test.' };
  return JSON.stringify({ ...defaults, category: 'data', ...manifest });
}

/** Signs in an administrator who tests servers. */
export async function testingAdministrator(publicUrl: string, email = 'admin@souk.test') {
  const { accessToken } = await new ScriptedBrowser(publicUrl).signInWeb({ email });
  const headers = { authorization: `Bearer ${accessToken}`, 'content-type': 'application/json' };

  const open = (body: object) =>
    openStream(`${publicUrl}/admin/connection-tests`, { method: 'POST', headers, body: JSON.stringify(body) });

  return {
    accessToken,
    headers,
    open,
    /** Runs a test to its end. */
    async test(body: object): Promise<ToldTest> {
      const stream = await open(body);
      await stream.ended;
      if (stream.status !== 200) throw new Error(`${stream.status} ${stream.text()}`);
      return toldBy(stream.messages());
    },
  };
}

export function toldBy(messages: readonly unknown[]): ToldTest {
  const events = messages.map((message) => connectionTestEventSchema.parse(message));
  const steps = events.filter((event) => event.type === 'step');
  return {
    events,
    steps: steps.map(({ step, result }) => `${step} ${result}`),
    step: (name) => steps.find(({ step }) => step === name),
    end: events.find((event) => event.type === 'end'),
    findings: events.flatMap((event) =>
      event.type === 'findings' ? event.findings.map(({ about, text }) => `${about ?? ''}: ${text}`) : [],
    ),
  };
}
