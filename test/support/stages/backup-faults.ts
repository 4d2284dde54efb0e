import { randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { readFile, stat, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { expect } from 'chai';
import { extract, pack, type Entry } from 'tar-stream';
import { migrations } from '../../../core/data/migrations/index.js';
import { newId } from '../../../core/model/ids.js';
import { testDatabase } from '../platform/database.js';
import { withDatabase } from '../platform/installation.js';
import { groundIn } from '../rows/rows.js';
import type { BackupStage } from './backup-stage.js';

/** Copies the archive with some members changed, omitted (`change` returns null) or added (`more`). */
async function rewrite(
  file: string,
  into: string,
  change: (name: string, content: Buffer) => Buffer | null,
  more: Readonly<Record<string, string>> = {},
): Promise<void> {
  const tar = extract();
  const reading = pipeline(createReadStream(file), createGunzip(), tar);
  const out = pack();
  const writing = pipeline(out, createGzip(), createWriteStream(into));
  for await (const entry of tar as AsyncIterable<Entry>) {
    const pieces: Buffer[] = [];
    for await (const piece of entry as AsyncIterable<Buffer>) pieces.push(piece);
    const content = change(entry.header.name, Buffer.concat(pieces));
    if (entry.header.name === 'checksums.json')
      for (const [name, text] of Object.entries(more)) out.entry({ name }, text);
    if (content) out.entry({ name: entry.header.name }, content);
  }
  out.finalize();
  await Promise.all([reading, writing]);
}

/** What is wrong with an archive, how to make it so in a file, and what `hatif restore` then says. */
type Fault = readonly [string, (file: string) => Promise<void>, RegExp];

/** @param archive a sound backup */
function faultsOf(archive: string): readonly Fault[] {
  const changed = (name: RegExp, change: (content: Buffer) => Buffer | null) => (file: string) =>
    rewrite(archive, file, (member, content) => (name.test(member) ? change(content) : content));
  const manifest = (change: object) =>
    changed(/^manifest/, (content) =>
      Buffer.from(JSON.stringify({ ...(JSON.parse(content.toString()) as object), ...change })),
    );
  const copied = async (file: string): Promise<void> => writeFile(file, await readFile(archive));

  return [
    ['a missing file', () => Promise.resolve(), /cannot be read/],
    ['an empty file', (file) => writeFile(file, ''), /not a valid backup/],
    ['a file that is not an archive', (file) => writeFile(file, randomBytes(10_000)), /not a valid backup/],
    [
      'an archive without a manifest',
      (file) => rewrite(archive, file, (name, content) => (name === 'manifest.json' ? null : content)),
      /not a valid backup/,
    ],
    [
      'a backup cut in half',
      async (file) => (await copied(file), truncate(file, Math.floor((await stat(file)).size / 2))),
      /damaged or truncated/,
    ],
    [
      'a backup without its last bytes',
      async (file) => (await copied(file), truncate(file, (await stat(file)).size - 9)),
      /damaged or truncated/,
    ],
    [
      'a backup with a corrupt byte',
      async (file) => {
        const bytes = await readFile(archive);
        bytes[Math.floor(bytes.length / 2)]! ^= 0x10;
        await writeFile(file, bytes);
      },
      /not a valid backup/,
    ],
    [
      'a backup with changed rows',
      changed(/^database\/projects/, (content) => Buffer.from(content.toString().replace('Test', 'Best'))),
      /projects\/000001" does not match its checksum/,
    ],
    [
      'a backup with invalid rows',
      changed(/^database\/projects/, () => Buffer.from('nonsense\n')),
      /is not a valid backup/,
    ],
    ['a backup that lacks a table', changed(/^database\/legs/, () => null), /not a valid backup/],
    [
      'a backup that lacks a file',
      changed(/^recordings\/2026/, () => null),
      /"recordings\/2026\/11\/a\.wav" is missing/,
    ],
    ['a backup without its checksums', changed(/^checksums/, () => null), /its end is missing/],
    [
      'a path outside of its folder',
      (file) => rewrite(archive, file, (_, content) => content, { 'uploads/../../evil': 'x' }),
      /does not belong/,
    ],
    [
      'an unexpected member',
      (file) => rewrite(archive, file, (_, content) => content, { 'etc/passwd': 'x' }),
      /does not belong/,
    ],
    [
      'a backup with another secret',
      changed(/^secret$/, () => Buffer.from('x'.repeat(64))),
      /not the one that encrypted its data/,
    ],
    [
      'a backup of a newer Hatif',
      manifest({ hatif: '9.0.0', migrations: [...migrations.map(({ name }) => name), '9999-later'] }),
      /newer Hatif \(9\.0\.0: 9999-later\)/,
    ],
    ['a backup in a newer format', manifest({ format: 2 }), /format 2/],
  ];
}

/** The names of all faults. */
export const BACKUP_FAULTS = faultsOf('').map(([name]) => name);

/** A backup with this fault is refused, and the installation that should receive it is not changed. */
export async function expectRefusal(stage: BackupStage, fault: string): Promise<void> {
  const [, make, words] = faultsOf(stage.archive).find(([name]) => name === fault)!;
  const file = join(stage.folder, `fault-${newId()}.tar.gz`);
  await make(file);
  const target = await stage.elsewhere(testDatabase());
  await target.cipher();
  await withDatabase(target.database.url, (db) => groundIn(db));
  const [rows, files] = [await target.rows(), await target.files()];
  const ran = await target.hatif(['restore', '--replace', file]);
  expect(ran.code).to.equal(1);
  expect(ran.stderr).to.match(words);
  expect(await target.rows()).to.deep.equal(rows);
  expect(await target.files()).to.deep.equal(files);
}
