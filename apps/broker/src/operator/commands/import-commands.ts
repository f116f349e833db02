import { z } from 'zod';
import { importEntrySchema } from '@souk/contract/admin/imports.ts';
import { adminReason } from '@souk/contract/admin/users.ts';
import { browseRegistry, listRegistryUpdates, registrySchema } from '@souk/contract/catalogue/registries.ts';
import type { ManifestActor } from '#features/catalogue/index.ts';
import type { Imports } from '#features/upstreams/index.ts';
import { SoukError } from '#platform/errors.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';

const registry = z.object({ registry: z.string().max(2048) });
const addSchema = z.object({ name: z.string().trim().min(1).max(80), url: z.string().max(2048) });
const renameSchema = registry.extend({ name: addSchema.shape.name });
const searchSchema = registry.extend({
  search: z.string().max(200).optional(),
  cursor: z.string().max(1000).optional(),
  importable: z.boolean().optional(),
});
const importSchema = registry.extend({
  servers: z
    .array(z.object({ name: z.string().max(200), version: z.string().max(255) }))
    .min(1)
    .max(20),
  reason: adminReason,
});

// the answers of the commands on registries, over the socket and with `--json`

export const registriesSchema = z.object({ registries: z.array(registrySchema) });
export const foundServersSchema = browseRegistry.answer.omit({ success: true });
export const updatesSchema = listRegistryUpdates.answer.omit({ success: true });
export const importedSchema = z.object({
  servers: z.array(
    importEntrySchema
      .omit({ manifest: true })
      .extend({ staged: z.string().optional(), failure: z.string().optional() }),
  ),
});
export type ImportedOfRegistry = z.infer<typeof importedSchema>;

const by: ManifestActor & { via: 'command' } = { via: 'command' };

/** The operator's commands on registries, with the use cases of the administrators' screen. */
export function importCommands(imports: Imports): OperatorCommands {
  const { registries, updates } = imports;

  async function idOf(named: string): Promise<string> {
    const found = (await registries.list()).filter(({ id, name, url }) => [id, name, url].includes(named));
    const [only] = found;
    if (!only || found.length > 1) {
      const message = only
        ? `${found.length} registries are named ${named}: use the address`
        : `There is no registry ${named}. Add it with: npm run souk -- registry add URL`;
      throw new SoukError('not_found', { message });
    }
    return only.id;
  }

  return {
    'registry.list': async () => ({ registries: await registries.list() }),
    'registry.add': async (args) => ({ registries: [await registries.add(addSchema.parse(args), by)] }),
    'registry.rename': async (args) => {
      const { registry: named, name } = renameSchema.parse(args);
      return { registries: [await registries.rename(await idOf(named), name, by)] };
    },
    'registry.remove': async (args) => {
      await registries.remove(await idOf(registry.parse(args).registry), by);
      return { registries: await registries.list() };
    },
    'registry.search': async (args) => {
      const { registry: named, ...filter } = searchSchema.parse(args);
      return imports.browse(await idOf(named), filter);
    },
    'registry.updates': () => updates.check(),
    'registry.import': async (args): Promise<ImportedOfRegistry> => {
      const { registry: named, servers, reason } = importSchema.parse(args);
      const entries = await imports.preview({ registryId: await idOf(named), servers });
      const staged: ImportedOfRegistry['servers'] = [];
      for (const { manifest, ...entry } of entries) {
        const [result] =
          entry.result === 'ready' && manifest
            ? await imports.stage([{ manifest, source: entry.source }], { ...by, reason })
            : [];
        staged.push({
          ...entry,
          ...(result && result.result !== 'refused' && { staged: result.version }),
          ...(result?.message !== undefined && { failure: result.message }),
        });
      }
      return { servers: staged };
    },
  };
}
