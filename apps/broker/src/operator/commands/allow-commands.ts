import { allowedPackageFormSchema, type AllowanceList } from '@souk/contract/admin/allowances.ts';
import { lineOrNone } from '@souk/contract/manifest/manifest-basics.ts';
import { z } from 'zod';
import type { App } from '../../app-types.ts';
import type { OperatorCommands } from '#platform/operator/operator-server.ts';
import { operatorName } from './command-reason.ts';

const entrySchema = z.object({ entry: z.string().trim().max(300), operator: operatorName });
const packageSchema = z.object({ alias: z.string().max(63), operator: operatorName });
const formSchema = z.object({ form: allowedPackageFormSchema });
const addPackageSchema = formSchema.extend({ code: z.string().max(64), operator: operatorName });
const addSchema = entrySchema.extend({ note: lineOrNone(200).default('') });

/** The package at its registry. The confirmation repeats `code`, which identifies everything that would be allowed. */
export const packageShownSchema = z.object({ integrity: z.string(), comesWith: z.int(), code: z.string() });
type PackageShown = z.output<typeof packageShownSchema>;

type Parts = Pick<App, 'allowances' | 'allowList'>;

/** `souk allow …`, with the use cases and limits of the administrators' screen. */
export function allowCommands({ allowances, allowList }: Parts): OperatorCommands {
  return {
    'allow.list': (): Promise<Omit<AllowanceList, 'success'>> => allowList(),
    'allow.address': async (args): Promise<{ entry: string }> => {
      const { entry, note, operator } = addSchema.parse(args);
      return { entry: await allowances.addAddress({ entry, note }, { operator }) };
    },
    'allow.remove-address': async (args): Promise<{ entry: string }> => {
      const { entry, operator } = entrySchema.parse(args);
      await allowances.removeAddress(entry, { operator });
      return { entry };
    },
    'allow.preview-package': async (args): Promise<PackageShown> => {
      const { integrity, comesWith, code } = await allowances.previewPackage(formSchema.parse(args).form);
      return { integrity, comesWith: comesWith.length, code };
    },
    'allow.package': async (args): Promise<{ alias: string }> => {
      const { form, code, operator } = addPackageSchema.parse(args);
      await allowances.addPackage(form, code, { operator });
      return { alias: form.alias };
    },
    'allow.remove-package': async (args): Promise<{ alias: string }> => {
      const { alias, operator } = packageSchema.parse(args);
      await allowances.removePackage(alias, { operator });
      return { alias };
    },
  };
}
