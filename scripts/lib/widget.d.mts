/** The path of the widget's script below dist. */
export const WIDGET: string;
export function buildWidget(): Promise<void>;
