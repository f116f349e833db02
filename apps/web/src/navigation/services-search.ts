/** Filters of the user's services. Without one, all are shown. */
export const serviceKinds = ['plan', 'own', 'free', 'on', 'none'] as const;
export type ServiceKind = (typeof serviceKinds)[number];

/** The list of the user's services, as the address has it. `page` counts from 1, which is left out. */
export type ServicesSearch = { q?: string; show?: ServiceKind; page?: number };
