/** Which of their services a person wants to see; without one: all. */
export const serviceKinds = ['plan', 'own', 'free', 'on', 'none'] as const;
export type ServiceKind = (typeof serviceKinds)[number];

/** What the address has of the list of a person's services. `page` counts from 1, which is left out. */
export type ServicesSearch = { q?: string; show?: ServiceKind; page?: number };
