/** Where the build puts what pages load, below dist. */
export const WIDGET: string;
export function buildWidget(): Promise<void>;
