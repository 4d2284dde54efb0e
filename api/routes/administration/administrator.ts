export const ADMINISTRATION = 'Administration';

/** What the routes of administrators have in common. */
export const byAdministrator = { tag: ADMINISTRATION, scope: null, keyKind: 'administrator' } as const;
export const reading = { ...byAdministrator, method: 'GET' } as const;
export const writing = { ...byAdministrator, method: 'POST' } as const;
