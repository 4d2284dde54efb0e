import { readFile } from 'node:fs/promises';

import type { Json } from './api-client.js';
import { CliError, EXIT } from './failure.js';

/** Reads a JSON object from a file. @throws CliError */
export async function readJson(file: string): Promise<Json> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch {
    throw new CliError(`${file} cannot be read.`, EXIT.usage);
  }
  return parseJson(text, file);
}

/** @param what names the text in errors. @throws CliError */
export function parseJson(text: string, what: string): Json {
  try {
    const made: unknown = JSON.parse(text);
    if (typeof made === 'object' && made !== null && !Array.isArray(made)) return made as Json;
  } catch {
    // Reported below.
  }
  throw new CliError(`${what} is not a JSON object.`, EXIT.usage);
}
