import { connectionTestEventSchema, type ConnectionTestEvent } from '@souk/contract/admin/servers.ts';
import { z } from 'zod';
import type { Upstreams } from '#features/upstreams/index.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';

const argsSchema = z.union([
  z.strictObject({ source: z.base64() }),
  z.strictObject({ id: z.string(), version: z.string().optional() }),
]);

export const testedSchema = z.object({ events: z.array(connectionTestEventSchema) });

/** Runs the connection test of the administrators' screen, but without an account at the server. */
export function testManifestCommand({ upstreams }: { upstreams: Pick<Upstreams, 'tests'> }): OperatorCommands {
  return {
    'manifest.test': async (args): Promise<z.input<typeof testedSchema>> => {
      const asked = argsSchema.parse(args);
      const tested =
        'source' in asked
          ? { manifest: Buffer.from(asked.source, 'base64') }
          : { serverId: asked.id, version: asked.version };
      const test = await upstreams.tests.start({ ...tested, userId: undefined, withOwnAccount: false });
      const events: ConnectionTestEvent[] = [];
      await test.run((event) => void events.push(event));
      return { events };
    },
  };
}
