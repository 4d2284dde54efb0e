import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { EmbeddedError } from '../system/types.js';

export type TemplateValues = Readonly<Record<string, string | number | readonly string[]>>;

/** Fills every `*.conf` of a folder; the texts by file name. */
export async function renderTemplates(folder: string, values: TemplateValues): Promise<Map<string, string>> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.conf')).sort();
  if (names.length === 0) throw new EmbeddedError('asterisk', `no configuration templates in ${folder}`);
  const rendered = new Map<string, string>();
  for (const name of names)
    rendered.set(name, renderTemplate(name, await readFile(join(folder, name), 'utf8'), values));
  return rendered;
}

/**
 * Replaces `{{name}}` by its value. A list stands for as many lines and must be alone on its own; its lines are
 * configuration made by us. A scalar is data: it may hold no line break, and its `;` does not begin a comment.
 * @throws EmbeddedError for a name without a value, or a value that would break out of its line.
 */
export function renderTemplate(file: string, template: string, values: TemplateValues): string {
  return template.replaceAll(/\{\{(\w+)\}\}/g, (_all, name: string) => {
    const value = values[name];
    if (value === undefined) throw new EmbeddedError('asterisk', `${file} asks for an unknown value "${name}"`);
    if (typeof value === 'object') return value.join('\n');
    const text = String(value);
    if (/[\r\n]/.test(text)) throw new EmbeddedError('asterisk', `the value "${name}" of ${file} holds a line break`);
    return text.replaceAll(';', '\\;');
  });
}
