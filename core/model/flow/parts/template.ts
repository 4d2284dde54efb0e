/** `{{name}}` or `{{name | format}}`. */
const PLACEHOLDER = /\{\{\s*([a-z][a-z0-9_]{0,63})\s*(?:\|\s*([a-z]+)\s*)?\}\}/g;

/** How a value is spoken. */
export const TEMPLATE_FORMATS = ['digits', 'number', 'money', 'date', 'time'] as const;
export type TemplateFormat = (typeof TEMPLATE_FORMATS)[number];

const formats: ReadonlySet<string> = new Set(TEMPLATE_FORMATS);

/** Whether the text contains a placeholder. */
export function hasPlaceholders(text: string): boolean {
  return text.includes('{{');
}

/** Whether every pair of braces in the text is a valid placeholder. */
export function isTemplate(text: string): boolean {
  const hasUnknownFormat = Array.from(text.matchAll(PLACEHOLDER)).some(
    ([, , format]) => format !== undefined && !formats.has(format),
  );
  return !hasUnknownFormat && !/\{\{|\}\}/.test(text.replace(PLACEHOLDER, ''));
}

/**
 * Replaces the placeholders with values. An unknown name is replaced with nothing. Placeholders inside a value are not replaced.
 * @param say renders a value whose placeholder has a format; `before` is the template's text up to the placeholder
 */
export function fill(
  text: string,
  valueOf: (name: string) => string,
  say: (value: string, format: TemplateFormat, before: string) => string = (value) => value,
): string {
  return text.replace(PLACEHOLDER, (_, name: string, format: string | undefined, start: number) => {
    const value = valueOf(name);
    if (format === undefined || !formats.has(format)) return value;
    return say(value, format as TemplateFormat, text.slice(0, start));
  });
}
