/** The path of the widget's script below dist. */
export const WIDGET: string;
/** The path of the chat's module below dist. */
export const CHAT: string;
export function buildWidget(): Promise<void>;
