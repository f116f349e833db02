import type { ShopParts } from '../shop-parts.ts';

export type ClawbackParts = Pick<ShopParts, 'db' | 'provider' | 'sync' | 'locks' | 'access' | 'uuid' | 'clock' | 'log'>;
