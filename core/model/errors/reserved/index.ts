/**
 * Codes reserved for features that are not built yet: no route of this release returns them. When
 * a feature is built, its codes move to a family outside this folder.
 */
export const RESERVED_ERRORS = {} as const;
