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
import { withBackup, type BackupStage } from '../../support/stages/backup-stage.js';
import { testDatabase } from '../../support/platform/database.js';
import { withDatabase } from '../../support/platform/installation.js';
import { groundIn } from '../../support/rows/rows.js';

/** The same archive with some members changed, left out (null) or added. */
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

describe('backup and restore', function () {
  this.timeout(60_000);
  let stage: BackupStage;
  withBackup((made) => (stage = made));

  describe('refuse and change nothing:', () => {
    const changed = (name: RegExp, change: (content: Buffer) => Buffer | null) => (file: string) =>
      rewrite(stage.archive, file, (member, content) => (name.test(member) ? change(content) : content));
    const manifest = (change: object) =>
      changed(/^manifest/, (content) =>
        Buffer.from(JSON.stringify({ ...(JSON.parse(content.toString()) as object), ...change })),
      );
    const copied = async (file: string): Promise<void> => writeFile(file, await readFile(stage.archive));

    const faults: readonly (readonly [string, (file: string) => Promise<void>, RegExp])[] = [
      ['no file', () => Promise.resolve(), /cannot be read/],
      ['an empty file', (file) => writeFile(file, ''), /no sound backup/],
      ['any other file', (file) => writeFile(file, randomBytes(10_000)), /no sound backup/],
      [
        'any other archive',
        (file) => rewrite(stage.archive, file, (name, content) => (name === 'manifest.json' ? null : content)),
        /no sound backup/,
      ],
      [
        'one that was cut in half',
        async (file) => (await copied(file), truncate(file, Math.floor((await stat(file)).size / 2))),
        /damaged or truncated/,
      ],
      [
        'one without its last bytes',
        async (file) => (await copied(file), truncate(file, (await stat(file)).size - 9)),
        /damaged or truncated/,
      ],
      [
        'one of which a byte is wrong',
        async (file) => {
          const bytes = await readFile(stage.archive);
          bytes[Math.floor(bytes.length / 2)]! ^= 0x10;
          await writeFile(file, bytes);
        },
        /no sound backup/,
      ],
      [
        'one whose rows were changed',
        changed(/^database\/projects/, (content) => Buffer.from(content.toString().replace('Test', 'Best'))),
        /projects\/000001" does not match its checksum/,
      ],
      [
        'one whose rows are no rows',
        changed(/^database\/projects/, () => Buffer.from('nonsense\n')),
        /is not a valid backup/,
      ],
      ['one of which a table is missing', changed(/^database\/legs/, () => null), /no sound backup/],
      [
        'one of which a file is missing',
        changed(/^recordings\/2026/, () => null),
        /"recordings\/2026\/11\/a\.wav" is missing/,
      ],
      ['one without its end', changed(/^checksums/, () => null), /its end is missing/],
      [
        'one that leads out of its folder',
        (file) => rewrite(stage.archive, file, (_, content) => content, { 'uploads/../../evil': 'x' }),
        /does not belong/,
      ],
      [
        'one that brings what is not asked for',
        (file) => rewrite(stage.archive, file, (_, content) => content, { 'etc/passwd': 'x' }),
        /does not belong/,
      ],
      [
        'one with another secret',
        changed(/^secret$/, () => Buffer.from('x'.repeat(64))),
        /not the one that encrypted its data/,
      ],
      [
        'one of a newer Hatif',
        manifest({ hatif: '9.0.0', migrations: [...migrations.map(({ name }) => name), '9999-later'] }),
        /newer Hatif \(9\.0\.0: 9999-later\)/,
      ],
      ['one of a newer format', manifest({ format: 2 }), /format 2/],
    ];
    for (const [name, make, words] of faults) {
      it(name, async () => {
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
      });
    }
  });
});
