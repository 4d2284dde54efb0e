/** The sources of the platform: what the build translates and what the coverage of tests measures. */
export const PRODUCT = ['main.ts', 'main', 'core', 'engine', 'ivr', 'sip', 'jobs', 'adapters', 'api', 'cli', 'config'];
