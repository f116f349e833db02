/**
 * The environment variable with the URL that receives scenarios with a sign-in. It stands alone here: the suite starts a
 * process for each scenario, which should load little.
 */
export const signInControl = 'SOUK_CONFORMANCE_SIGN_IN';
