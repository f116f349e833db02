/** Filters of the user's services. Without one, all are shown. */
export const serviceKinds = ['plan', 'own', 'free', 'on', 'none'] as const;
export type ServiceKind = (typeof serviceKinds)[number];

/** The search of the user's services in the address. `page` counts from 1; the first page has no parameter. */
export type ServicesSearch = { q?: string; show?: ServiceKind; page?: number };
