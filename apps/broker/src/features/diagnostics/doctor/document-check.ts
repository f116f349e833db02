import { passed, skipped, warned, type Check } from './check.ts';

/** Clients that identify themselves by a document do not register if it cannot be fetched. */
export const documentCheck: Check = {
  id: 'client-documents',
  name: 'The documents of well-known clients can be fetched',
  async run({ knownDocuments }) {
    if (!knownDocuments)
      return skipped('Clients are not told to use them here, or only the broker itself can fetch them.');
    const documents = await knownDocuments();
    const missing = documents.filter(({ fault }) => fault !== undefined);
    if (missing.length === 0) return passed(`All ${documents.length} can be fetched.`);
    const hosts = [...new Set(missing.map(({ address }) => new URL(address).host))];
    const detail = missing.map(({ name, address, fault }) => `${name} (${new URL(address).host}): ${fault}`).join('; ');
    return warned(
      `${detail}. These clients can still sign in, with the copy that was fetched last or the one that comes with this version.`,
      `Let the broker reach ${hosts.join(', ')} (firewall, HTTPS_PROXY), so that it learns of changes. If the broker may not reach the internet, there is nothing to do.`,
    );
  },
};
