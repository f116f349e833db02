/** The product's version, as in CHANGELOG.md. */
export const version = '1.0.0';
