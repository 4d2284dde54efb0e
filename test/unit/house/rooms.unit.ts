import { execFile } from 'node:child_process';
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

import { expect } from 'chai';

const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A small source tree with the same top-level folders: each file with its imports. */
type House = Readonly<Record<string, readonly string[]>>;

const SOUND: House = {
  'main.ts': ['./engine/one.js', './config/settings.js', './main/command.js'],
  'core/model/one.ts': [],
  'core/ports/one.ts': ['../model/one.js'],
  'core/data/one.ts': ['../model/one.js'],
  'core/services/one.ts': ['../model/one.js', '../ports/one.js', '../data/one.js'],
  'core/services/call-state/one.ts': [],
  'core/services/calls/one.ts': ['../call-state/one.js'],
  'core/services/live-calls/call/one.ts': ['../../call-state/one.js'],
  'core/services/audio/one.ts': ['../calls/one.js'],
  'engine/one.ts': ['../core/model/one.js', '../core/ports/one.js'],
  'adapters/one.ts': ['../core/ports/one.js'],
  'api/one.ts': ['../core/services/one.js'],
  'cli/command.ts': ['../core/services/one.js'],
  'main/command.ts': ['../adapters/one.js', '../cli/command.js'],
  'config/settings.ts': [],
  'console/one.ts': [],
  'test/one.unit.ts': ['../engine/one.js'],
};

const WRONG: readonly (readonly [file: string, imported: string])[] = [
  ['core/model/one.ts', '../ports/one.js'],
  ['core/ports/one.ts', '../data/one.js'],
  ['core/data/one.ts', '../services/one.js'],
  ['core/services/one.ts', '../../engine/one.js'],
  ['engine/one.ts', '../core/data/one.js'],
  ['engine/one.ts', '../config/settings.js'],
  ['adapters/one.ts', '../engine/one.js'],
  ['api/one.ts', '../adapters/one.js'],
  ['cli/command.ts', '../config/settings.js'],
  ['cli/command.ts', '../adapters/one.js'],
  ['cli/command.ts', '../main/command.js'],
  ['core/model/one.ts', '../../test/one.unit.js'],
  ['api/one.ts', '../main.js'],
  ['api/one.ts', './missing.js'],
  ['console/one.ts', '../core/model/one.js'],
  ['core/services/call-state/one.ts', '../audio/one.js'],
  ['core/services/calls/one.ts', '../live-calls/call/one.js'],
  ['core/services/live-calls/call/one.ts', '../../calls/one.js'],
  ['core/services/audio/one.ts', '../live-calls/call/one.js'],
];

const KEPT = ['scripts', 'package.json', 'tsconfig.json', '.dependency-cruiser.cjs'];

describe('the rules for imports', function () {
  this.timeout(60_000);
  let folder: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hatif-rooms-'));
    for (const part of KEPT) {
      await cp(join(root, part), join(folder, part), { recursive: true });
    }
    await symlink(join(root, 'node_modules'), join(folder, 'node_modules'));
  });
  after(() => rm(folder, { recursive: true }));

  async function check(house: House, kind: 'value' | 'type' = 'value'): Promise<{ code: number; said: string }> {
    for (const entry of await readdir(folder))
      if (![...KEPT, 'node_modules'].includes(entry)) await rm(join(folder, entry), { recursive: true });
    for (const [file, imports] of Object.entries(house)) {
      await mkdir(dirname(join(folder, file)), { recursive: true });
      const type = kind === 'type' ? 'type ' : '';
      const lines = imports.map(
        (path, index) => `import ${type}* as i${index} from '${path}';\nexport ${type}{ i${index} };`,
      );
      await writeFile(join(folder, file), `export const one = 1;\n${lines.join('\n')}\n`);
    }
    return new Promise((resolve) => {
      execFile(
        process.execPath,
        [join(folder, 'scripts/check-rooms.mjs')],
        { cwd: folder },
        (error, stdout, stderr) => {
          resolve({ code: typeof error?.code === 'number' ? error.code : 0, said: stdout + stderr });
        },
      );
    });
  }

  it('fail if there is no module to check', async () => {
    const { code, said } = await check({});
    expect(code).to.equal(1);
    expect(said).to.contain('no module to look at');
  });

  it('pass if each folder imports only what it may; entry points may import anything', async () => {
    const { code, said } = await check(SOUND);
    expect(said).to.contain(`${Object.keys(SOUND).length} modules, every import allowed`);
    expect(code).to.equal(0);
  });

  it('fail on every other import, and name it', async () => {
    const house = { ...SOUND };
    for (const [file, imported] of WRONG) house[file] = [...(house[file] ?? []), imported];
    const { code, said } = await check(house);
    expect(code).to.equal(1);
    for (const [file, imported] of WRONG) {
      const target = imported.replace(/^(\.\.?\/)+/, '').replace(/\.js$/, '');
      expect(said, `${file} → ${imported}`).to.match(new RegExp(`error .*${file} → .*${target}`));
    }
  });

  it('fail on a cycle of files, also of type imports alone', async () => {
    const house = { ...SOUND, 'core/model/two.ts': ['./three.js'], 'core/model/three.ts': ['./two.js'] };
    const { code, said } = await check(house, 'type');
    expect(code).to.equal(1);
    expect(said).to.match(/error no-circular: core\/model\/two\.ts → core\/model\/three\.ts/);
  });

  it('fail on a cycle of folders, also of a folder and its subfolder, and name the files that cause it', async () => {
    const house = {
      ...SOUND,
      'core/model/two.ts': ['./inner/one.js'],
      'core/model/inner/one.ts': [],
      'core/model/inner/two.ts': ['../one.js'],
    };
    const { code, said } = await check(house);
    expect(code).to.equal(1);
    expect(said).to.contain('folders in a circle: core/model, core/model/inner');
    expect(said).to.contain('core/model/inner/two.ts → core/model/one.ts');
  });

  it('fail on a folder with more than 30 files of its own, migrations excepted', async () => {
    const many = (folder: string): House =>
      Object.fromEntries(Array.from({ length: 31 }, (_, index) => [`${folder}/file-${index}.ts`, []]));
    const { code, said } = await check({ ...SOUND, ...many('core/model/crowded'), ...many('core/data/migrations') });
    expect(code).to.equal(1);
    expect(said).to.contain('core/model/crowded holds 31 files');
    expect(said).not.to.contain('migrations holds');
  });
});
