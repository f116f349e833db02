/** Calls that a person's clients may abort after dispatch in an hour without a charge (billing.md, Credits). */
export const freeAbortsPerHour = 5;
