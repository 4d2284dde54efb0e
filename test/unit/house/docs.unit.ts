import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { dirname, join, normalize, relative } from 'node:path';
import { expect } from 'chai';
import { parseDocument } from '../../../api/pages/guide/markdown.js';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
const MAX_LINES = 300;
/** Grows with every change. */
const CHANGE_LOG = 'CHANGELOG.md';
const MAX_COLUMNS = 100;
const MAX_FILES = 30;
/** Addresses of the running platform that documents may link to. */
const SERVED = ['/docs', '/docs/errors', '/docs/events'];

/** A source file or folder as documents name it: `core/ports/engine.ts`. */
const SOURCE_FILE =
  /`((?:adapters|api|bench|cli|config|console|core|engine|ivr|jobs|main|scripts|sip|test)\/[\w./-]*\w)\/?`/g;

/** A test as documents name it: its file, then titles in it, between curved quotation marks. */
const NAMED_TESTS = /`(test\/[\w./-]+\.ts)`((?:,?\s+“[^”]+”)+)/g;
const QUOTES = ["'", '"', '`'];

const folders = [
  'docs',
  ...readdirSync(join(ROOT, 'docs'), { recursive: true, withFileTypes: true })
    .filter((item) => item.isDirectory())
    .map((item) => relative(ROOT, join(item.parentPath, item.name))),
];
const filesIn = (folder: string): string[] =>
  readdirSync(join(ROOT, folder), { withFileTypes: true })
    .filter((item) => item.isFile())
    .map((item) => join(folder, item.name));
const documents = [...filesIn('.').filter((file) => file.endsWith('.md')), ...folders.flatMap(filesIn)];
const parsed = new Map(
  documents
    .filter((file) => file.endsWith('.md'))
    .map((file) => [file, parseDocument(readFileSync(join(ROOT, file), 'utf8'))]),
);

/** Returns why a link of a document is broken; null if it is not. */
function problemOf(from: string, href: string): string | null {
  if (/^(https?:\/\/|mailto:)/.test(href)) return null;
  if (href.startsWith('/')) return SERVED.includes(href) ? null : 'is an absolute path';
  const [path = '', anchor] = href.split('#', 2);
  const target = path === '' ? from : normalize(join(dirname(from), path));
  if (target.startsWith('..') || !existsSync(join(ROOT, target))) return 'does not exist';
  if (statSync(join(ROOT, target)).isDirectory()) return 'is a folder, which the guide cannot show';
  if (anchor === undefined) return null;
  const sections = parsed.get(target)?.sections ?? [];
  return sections.some((section) => section.anchor === anchor) ? null : 'has no such heading';
}

describe('the documents', () => {
  it('link only to files and headings that exist', () => {
    const broken = [...parsed].flatMap(([file, { links }]) =>
      links.map((href) => [file, href, problemOf(file, href)]).filter(([, , problem]) => problem !== null),
    );
    expect(broken).to.deep.equal([]);
  });

  it('name only source files that exist', () => {
    const missing = [...parsed.keys()].flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(SOURCE_FILE)]
        .filter(([, path = '']) => !existsSync(join(ROOT, path)))
        .map(([, path]) => [file, path]),
    );
    expect(missing).to.deep.equal([]);
  });

  it('name only tests that exist', () => {
    const missing = [...parsed.keys()].flatMap((file) =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(NAMED_TESTS)].flatMap(([, path = '', titles = '']) => {
        const tests = readFileSync(join(ROOT, path), 'utf8');
        return Array.from(titles.matchAll(/“([^”]+)”/g), ([, title = '']) => title.replace(/\s+/g, ' '))
          .filter((title) => !QUOTES.some((quote) => tests.includes(quote + title + quote)))
          .map((title) => [file, path, title]);
      }),
    );
    expect(missing).to.deep.equal([]);
  });

  it('are each linked from another document', () => {
    const linked = new Set(
      [...parsed].flatMap(([file, { links }]) =>
        links.map((href) => normalize(join(dirname(file), href.split('#', 1)[0] ?? ''))).filter((to) => to !== file),
      ),
    );
    const unlinked = documents.filter((file) => !linked.has(file) && !/^README(\.ar)?\.md$/.test(file));
    expect(unlinked).to.deep.equal([]);
  });

  it('have one title each, and at most 300 lines except the change log', () => {
    for (const [file, { sections }] of parsed) {
      expect(sections[0]?.depth, file).to.equal(1);
      expect(sections.filter(({ depth }) => depth === 1).length, file).to.equal(1);
      const text = readFileSync(join(ROOT, file), 'utf8');
      // The marks that give Arabic text its direction are no text.
      const lines = text.replaceAll(/^<\/?div.*\n\n?/gm, '').split('\n').length;
      if (file !== CHANGE_LOG) expect(lines, file).to.be.most(MAX_LINES);
    }
  });

  it('show the same commands in both languages', () => {
    const commandsOf = (file: string): string[] =>
      [...readFileSync(join(ROOT, file), 'utf8').matchAll(/^```sh\n([^]*?)^```/gm)].flatMap(([, block = '']) =>
        block.trimEnd().split('\n'),
      );
    expect(commandsOf('README.ar.md')).to.deep.equal(commandsOf('README.md'));
  });

  it('have lines that fit a screen, except in tables, code and links', () => {
    for (const file of parsed.keys()) {
      const prose = readFileSync(join(ROOT, file), 'utf8').replaceAll(/^ *```[^]*?^ *```/gm, '');
      const long = prose
        .split('\n')
        .filter((line) => line.length > MAX_COLUMNS && !/^\s*\||\]\(|https?:|`[^`]{60,}`/.test(line));
      expect(long, file).to.deep.equal([]);
    }
  });

  it('are in folders of at most thirty files', () => {
    for (const folder of folders) expect(filesIn(folder).length, folder).to.be.most(MAX_FILES);
  });
});
