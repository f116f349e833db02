import type { ClientOptions } from '@souk/contract/client.ts';
import { clientOptions } from '#web/api.ts';

/** Calls about money have their own text for a 403 (spec part 1, section 8). */
export const billingClientOptions: ClientOptions = {
  ...clientOptions,
  forbiddenText: 'Access denied. Please check your permissions.',
};
