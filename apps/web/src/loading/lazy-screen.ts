import { lazyRouteComponent } from '@tanstack/react-router';
import { isAnswering } from './missing-file.ts';

/**
 * A screen whose program is fetched when it is first opened. Where a file is missing the router loads the page again, once:
 * a newer version has other files. While the broker does not answer, that would leave nothing but the browser's own error
 * page: then the error screen stands there, with the header above it.
 */
export const lazyScreen: typeof lazyRouteComponent = (importer, name) =>
  lazyRouteComponent(async () => {
    try {
      return await importer();
    } catch (error) {
      throw (await isAnswering()) ? error : new Error('The shop does not answer', { cause: error });
    }
  }, name);
