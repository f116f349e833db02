/**
 * Environment variable with the URL that receives scenarios with a sign-in. It has a separate file because the suite
 * starts a process for each scenario, which should load little.
 */
export const signInControl = 'SOUK_CONFORMANCE_SIGN_IN';
