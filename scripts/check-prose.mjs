#!/usr/bin/env node
/**
 * `npm run check:prose [-- <glob>…]`: documents, and comments and strings of TypeScript, must not use the expressions of
 * `lib/prose-words.mjs`.
 * A comment with `prose-ok` allows its own line and the next one.
 */
import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

import { filesOf } from './lib/files.mjs';
import { proseOf } from './lib/prose.mjs';
import { WORDS } from './lib/prose-words.mjs';
import { ROOT, Trouble, main } from './lib/run.mjs';

const DOCUMENTS = ['*.md', 'docs/**/*.md', '.env.example', 'config/monitoring/*.yml'];
const ROOMS = [
  'adapters',
  'api',
  'bench',
  'cli',
  'config',
  'console',
  'core',
  'engine',
  'ivr',
  'jobs',
  'main',
  'packages/web/src',
  'test',
];
const CODE = ['main.ts', ...ROOMS.map((room) => `${room}/**/*.ts`)];
const IGNORED = /^(\.git|\.hatif.*|node_modules|dist|coverage)$/;

const BREAK = String.raw`\s+(?:(?:\*|//|#|>)\s+)?`;
const RULES = WORDS.map(([pattern, instead]) => ({
  pattern: new RegExp(String.raw`(?<![\w-])(?:${pattern.source.replaceAll(' ', BREAK)})(?![\w-])`, 'gi'),
  instead,
}));

await main(() => {
  const globs = process.argv.slice(2);
  const wanted = (globs.length > 0 ? globs : [...DOCUMENTS, ...CODE]).map(toPattern);
  const files = readdirSync(ROOT, { withFileTypes: true })
    .filter(({ name }) => !IGNORED.test(name))
    .flatMap((item) => (item.isDirectory() ? filesOf(item.name) : [item.name]))
    .filter((file) => wanted.some((pattern) => pattern.test(file)));
  if (files.length === 0) throw new Trouble('No file matches.');
  const found = files.flatMap(problemsOf);
  if (found.length > 0) throw new Trouble(`${found.join('\n')}\nProse: ${found.length} expressions to replace.`);
  console.log(`Prose: ${files.length} files.`);
});

function problemsOf(file) {
  const text = readFileSync(join(ROOT, file), 'utf8');
  if (!RULES.some(({ pattern }) => text.search(pattern) !== -1)) return [];
  const lines = text.split('\n');
  const isAllowed = (line) => [lines[line - 1], lines[line - 2]].some((each) => each?.includes('prose-ok'));
  const prose = proseOf(file, text);
  return RULES.flatMap(({ pattern, instead }) =>
    [...prose.matchAll(pattern)].map((match) => {
      const line = prose.slice(0, match.index).split('\n').length;
      const expression = match[0].replace(/\s+(?:(?:\*|\/\/|#|>)\s+)?/g, ' ');
      return isAllowed(line) ? null : `${file}:${line}: “${expression}”: ${instead}`;
    }),
  ).filter((problem) => problem !== null);
}

/** `**` matches any folders, `*` anything but a slash. */
function toPattern(glob) {
  const source = glob
    .replace(/[.+^${}()|[\]\\]/g, String.raw`\$&`)
    .replaceAll('**/', '\0')
    .replaceAll('*', '[^/]*')
    .replaceAll('\0', '(?:.*/)?');
  return new RegExp(`^${source}$`);
}
