import { lazyRouteComponent } from '@tanstack/react-router';
import { isAnswering } from './missing-file.ts';

/**
 * A screen whose code is fetched when it is first opened. If a file is missing, the router reloads the page once, since
 * a newer version has other files. If the broker does not answer, a reload would leave the browser's own error page, so
 * the error screen is shown instead.
 */
export const lazyScreen: typeof lazyRouteComponent = (importer, name) =>
  lazyRouteComponent(async () => {
    try {
      return await importer();
    } catch (error) {
      throw (await isAnswering()) ? error : new Error('The shop does not answer', { cause: error });
    }
  }, name);
